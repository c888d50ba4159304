import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { KeyKind } from '../../core/access/api-key.ts';
import type { Access, Caller } from '../../core/access/authenticate.ts';
import { keyFinder } from '../../core/access/key-record.ts';
import { plansFrom } from '../../core/access/plans.ts';
import { recentMap, requestCounter } from '../../core/access/request-counter.ts';
import { extraUnitsAdder, usageTable } from '../../core/access/usage-table.ts';
import { database, databaseWithoutRetries } from '../../core/dynamodb/database.ts';
import type { ApiError } from '../../core/problems.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
import { plansVariable, tableNamesFromEnvironment } from '../../core/runtime/environment.ts';
import type { TableId } from '../../core/tables.ts';
import { admission } from './admission.ts';
import { type Answer, toResponse } from './answer.ts';
import { extraUnits, largestBulkSize, planBulkSize } from './bulk.ts';
import { compression } from './compression.ts';
import { grantedActions, type HttpFunction } from './endpoint-definition.ts';
import { dataOfKey, keyForm } from './key-form.ts';
import { problemDocuments } from './problem-documents.ts';
import { type RequestContext, requestContext } from './request.ts';
import { requestLog } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';
import { type Input, pathParameters, validation } from './validation.ts';

/** A Lambda handler for API Gateway. It accepts malformed events, and responds to every error instead of throwing. */
export type GatewayHandler = (event: unknown, context?: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** The parts in which the stacks of endpoints differ. */
interface EndpointParts<This extends HttpFunction, Data extends object, Values extends object> {
  readonly endpoint: This;
  /** The data that a key of each kind sees, live or sandbox. */
  readonly data: (
    db: DynamoDBDocumentClient,
    tables: Readonly<Record<keyof This['tables'] & TableId, string>>,
  ) => (request: { readonly kind: KeyKind; readonly today: LondonDate }) => Data;
  readonly input: Input<Values>;
}

/** What a lookup reads while its caller is admitted: the one item that its path names. */
interface Lookup<Data extends object, Path extends object, Loaded> {
  readonly path: (parameters: RequestContext['pathParameters']) => Path | ApiError;
  readonly load: (request: RequestContext & Data & Path) => Promise<Loaded>;
}

type CheckedRequest<Data, Path, Values> = RequestContext &
  Data &
  Path & { readonly caller: Caller; readonly input: Values };

/** Opens the tables that the role of a function may use, and what admission needs. @throws MissingEnvironment */
const openTables = (endpoint: HttpFunction) => {
  const db = database();
  const tables = tableNamesFromEnvironment(Object.keys(grantedActions(endpoint)) as TableId[]);
  const counter = requestCounter(usageTable(db, tables.usage));
  const access: Access = {
    findKey: keyFinder(db, tables.keys),
    counter,
    plans: plansFrom(plansVariable()),
    seenInForce: recentMap(),
  };
  return { db, tables, access };
};

/**
 * Removes the context from the type of a handler: middy's type requires the caller to pass what the middlewares add.
 */
const gatewayHandler = (
  handler: (event: unknown, context: never) => Promise<APIGatewayProxyStructuredResultV2>,
): GatewayHandler => handler as GatewayHandler;

/** The middlewares of every function. */
const everyRequest = (endpoint: HttpFunction) =>
  middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>({ timeoutEarlyInMillis: 0 })
    .use(requestContext(endpoint))
    .use(requestLog(endpoint.id))
    .use(responseHeaders())
    .use(endpoint.compressed ? [compression()] : [])
    .use(problemDocuments());

/**
 * The stack of an endpoint, in the order of docs/contract.md#precedence: the first middleware that finds a problem
 * rejects the request. @throws MissingEnvironment at start, naming every variable that is missing
 */
export const serveLookup = <
  const This extends HttpFunction,
  Data extends object,
  Path extends object,
  Values extends object,
  Loaded,
>(
  { endpoint, data, path, input, load }: EndpointParts<This, Data, Values> & Lookup<Data, Path, Loaded>,
  respond: (request: CheckedRequest<Data, Path, Values>, loaded: Loaded) => Promise<Answer>,
): GatewayHandler => {
  const { db, tables, access } = openTables(endpoint);
  const { scope, bulk } = endpoint;
  return gatewayHandler(
    everyRequest(endpoint)
      .use(keyForm())
      .use(dataOfKey(data(db, tables)))
      .use(pathParameters(path))
      .use(admission(access, scope, load))
      .use([...input.parsing])
      .use(bulk ? [largestBulkSize()] : [])
      .use(validation(input))
      .use(bulk ? [planBulkSize(), extraUnits(extraUnitsAdder(databaseWithoutRetries(), tables.usage))] : [])
      .handler((_event, context) => toResponse(endpoint, context, async () => respond(context, await context.loading))),
  );
};

/** The stack of an endpoint that reads nothing while its caller is admitted. */
export const serve = <const This extends HttpFunction, Data extends object, Values extends object>(
  parts: EndpointParts<This, Data, Values>,
  respond: (request: CheckedRequest<Data, object, Values>) => Promise<Answer>,
): GatewayHandler => serveLookup({ ...parts, path: () => ({}), load: async () => undefined }, respond);

/** The stack of all paths without an endpoint: only an admitted caller learns which paths there are. */
export const serveOtherPaths = (
  endpoint: HttpFunction,
  respond: (request: RequestContext) => Promise<Answer>,
): GatewayHandler =>
  gatewayHandler(
    everyRequest(endpoint)
      .use(keyForm())
      .use(admission(openTables(endpoint).access, undefined, async () => undefined))
      .handler((_event, context) => toResponse(endpoint, context, () => respond(context))),
  );

import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Static, TSchema } from 'typebox';
import type { AdmissionStore, Caller } from '../../core/access/admission.ts';
import type { KeyEnvironment } from '../../core/access/api-key.ts';
import { keysTable } from '../../core/access/keys-table.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { database } from '../../core/dynamodb/database.ts';
import { tableNamesFromEnvironment } from '../../core/runtime/environment.ts';
import type { TableId } from '../../core/tables.ts';
import { type Endpoint, type EndpointId, endpoints, fallback } from '../endpoints.ts';
import { admission } from './admission.ts';
import { keyForm } from './key-form.ts';
import type { RequestContext } from './request-context.ts';
import { bulkSizeLimit, inputMiddlewares } from './request-input.ts';
import { type AdmittedContext, type Answer, type GatewayHandler, stack } from './stack.ts';

type Rows = typeof endpoints;
type Part<Row, Name extends string> = Row extends { readonly [K in Name]: infer Schema extends TSchema }
  ? Static<Schema>
  : undefined;

/** The validated input that an endpoint's row declares. */
export interface Input<Id extends EndpointId> {
  readonly parameters: Part<Rows[Id], 'path'>;
  readonly query: Part<Rows[Id], 'query'>;
  readonly headers: Part<Rows[Id], 'headers'>;
  readonly body: Part<Rows[Id], 'body'>;
}

/** The request that a lookup loads for: a view of the request context. */
export interface LoadRequest<Id extends EndpointId>
  extends Input<Id>,
    Pick<RequestContext, 'now' | 'deadline' | 'date'> {
  /** From the key's prefix: a test key sees the sandbox only. */
  readonly environment: KeyEnvironment;
  /** The endpoint's path with the requested prefix, `/v1/api` or `/api` (docs/contract.md#addresses-and-versions), for links. */
  readonly address: string;
  /** Absent while admission runs. */
  readonly caller?: Caller;
}

/** A valid request of an admitted caller. */
export type ApiRequest<Id extends EndpointId> = LoadRequest<Id> & { readonly caller: Caller };

/** The database, and the names of the tables that the endpoint's row lists. */
export interface Resources<Id extends EndpointId> {
  readonly db: DynamoDBDocumentClient;
  readonly tables: Readonly<Record<keyof Rows[Id]['tables'] & TableId, string>>;
}

/** The database, the names of a row's tables, and the two of admission among them. */
export const openTables = (tables: Endpoint['tables']) => {
  const db = database();
  const names = tableNamesFromEnvironment(Object.keys(tables) as TableId[]);
  const store: AdmissionStore = {
    findKey: keysTable(db, names.keys).find,
    incrementUsage: usageTable(db, names.usage).increment,
  };
  return { db, names, store };
};

/** The row's path that was requested. Any other path comes from a malformed event and is never put into a header. */
const addressOf = ({ paths }: Endpoint, path: string): string => paths.find((known) => known === path) ?? paths[0];

/** What a handler gets of the context once `keyForm` has run. Its input has the types of the row, which has just validated it. */
export const requestOf = <Id extends EndpointId>(row: Endpoint, context: RequestContext): LoadRequest<Id> => {
  const { pathParameters, input, now, deadline, date, path, key } = context;
  return {
    parameters: pathParameters,
    ...input,
    now,
    deadline,
    date,
    environment: key?.environment,
    address: addressOf(row, path),
  } as LoadRequest<Id>;
};

/** As `requestOf`, with the caller. */
export const admittedRequestOf = <Id extends EndpointId>(row: Endpoint, context: AdmittedContext): ApiRequest<Id> => ({
  ...requestOf<Id>(row, context),
  caller: context.caller,
});

/**
 * The function of a row that acts only once its caller is admitted: everything that writes.
 * @example
 * export const handler = endpoint('delete-content', ({ db, tables }) => {
 *   const content = contentTables(db, tables.content);
 *   return async ({ parameters, headers, environment, now, deadline }) => {
 *     await content[environment].remove(parameters.id, headers['If-Match'], { now, deadline });
 *     return {};
 *   };
 * });
 * @throws MissingEnvironment at start, naming every variable that is missing
 */
export const endpoint = <Id extends EndpointId>(
  id: Id,
  define: (resources: Resources<Id>) => (request: ApiRequest<Id>) => Promise<Answer>,
): GatewayHandler => {
  const row: Endpoint = endpoints[id];
  const { db, names, store } = openTables(row.tables);
  const respond = define({ db, tables: names });
  return stack({
    endpoint: id,
    successStatus: row.successStatus,
    middlewares: [keyForm(), admission(store, row.scope), ...inputMiddlewares(row), bulkSizeLimit(row)],
    respond: (context) => respond(admittedRequestOf<Id>(row, context)),
  });
};

/**
 * The function of every path and method that no row serves.
 * @param reject throws the error, once the caller is admitted
 */
export const fallbackEndpoint = (reject: (method: string, path: string) => never): GatewayHandler =>
  stack({
    endpoint: fallback.route,
    successStatus: 404,
    middlewares: [keyForm(), admission(openTables(fallback.tables).store)],
    respond: ({ method, path }) => reject(method, path),
  });

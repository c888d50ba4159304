import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { KeyKind } from '../../core/access/api-key.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import type { TableId } from '../../core/tables.ts';
import { admission } from './admission.ts';
import { largestBulkSize, planBulkSize } from './bulk-size.ts';
import type { ServedEndpoint } from './endpoint.ts';
import { extraUnits } from './extra-units.ts';
import { type Answer, type GatewayHandler, httpFunction, openTables } from './http-function.ts';
import type { RequestContext } from './request.ts';
import { negotiation } from './signed-answers.ts';
import { type RequestParts, validation } from './validation.ts';

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** What `load` knows of a request: it runs before the caller is admitted and the input is read. */
export interface LoadRequest<Row extends ServedEndpoint> extends Pick<RequestContext, 'now' | 'deadline'> {
  /** The path parameters; an empty string for one that a malformed event lacks. */
  readonly parameters: Readonly<Record<NamesIn<Row['paths'][0]>, string>>;
  /** From the key's prefix: a test key sees the sandbox only, the probe's key the sandbox's vehicles and its own content. */
  readonly keyKind: KeyKind;
}

/** The request of an admitted caller, to which the values of the endpoint's input are added. */
export interface ApiRequest<Row extends ServedEndpoint> extends LoadRequest<Row>, Pick<RequestContext, 'date'> {
  /** The endpoint's path with the requested prefix, `/v1/api` or `/api` (docs/contract.md#addresses-and-versions), for links. */
  readonly address: string;
  readonly caller: Caller;
}

/** How an endpoint responds, and what it loads while admission runs. */
export interface Service<Row extends ServedEndpoint, Values extends object, Loaded> {
  /** Reads the one thing that the path names; nothing when the path cannot name one. */
  readonly load?: (request: LoadRequest<Row>) => Promise<Loaded>;
  readonly respond: (request: ApiRequest<Row> & Values, loaded: Loaded) => Answer | Promise<Answer>;
}

/** The DynamoDB client, and the names of the row's tables. */
export interface Resources<Row extends ServedEndpoint> {
  readonly db: DynamoDBDocumentClient;
  readonly tables: Readonly<Record<keyof Row['tables'] & TableId, string>>;
}

type Define<Row extends ServedEndpoint, Values extends object, Loaded> = (
  resources: Resources<Row>,
) => Service<Row, Values, Loaded>;

/** Makes the request for `load` and `respond`. A path other than the row's is from a malformed event: `address` never repeats it. */
const requestMaker = <Row extends ServedEndpoint, Values extends object>({ paths }: Row) => {
  const names = [...paths[0].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return ({ now, deadline, date, path, key, caller, pathParameters, input }: RequestContext) =>
    ({
      now,
      deadline,
      date,
      caller,
      keyKind: key?.kind,
      parameters: Object.fromEntries(names.map((name) => [name, pathParameters[name] ?? ''])),
      address: paths.find((known) => known === path) ?? paths[0],
      ...input,
      // `keyForm` has set the key. `load` gets neither caller nor input, as its type says.
    }) as ApiRequest<Row> & Values;
};

/**
 * Makes the function of an endpoint: `httpFunction`, with middlewares for a signed answer, admission, input, and size and units of
 * bulk.
 * What `load` reads is read while admission runs, so that a lookup takes the time of one round trip.
 * @example
 * export const handler = serve({ endpoint }, ({ db, tables }) => {
 *   const content = contentTables(db, tables.content);
 *   return {
 *     load: ({ parameters, keyKind }) => content[keyKind].find(parameters.id),
 *     respond: (_request, stored) => ({ body: stored?.item }),
 *   };
 * });
 * @throws MissingEnvironment at start, naming every variable that is missing
 */
export const serve = <const Row extends ServedEndpoint, Loaded, Values extends object = object>(
  { endpoint, ...parts }: { readonly endpoint: Row } & RequestParts<Values>,
  define: Define<Row, Values, Loaded>,
): GatewayHandler => {
  const { db, tables, usage, store } = openTables(endpoint);
  const { load, respond } = define({ db, tables });
  const makeRequest = requestMaker<Row, Values>(endpoint);
  const middlewares = [
    negotiation(endpoint),
    admission(store, endpoint.scope, load && (async (context) => load(makeRequest(context)))),
    ...(parts.input?.parsing ?? []),
    largestBulkSize(endpoint),
    validation(endpoint, parts),
    planBulkSize(endpoint),
    ...(endpoint.bulk ? [extraUnits(usage.addExtraUnits)] : []),
  ];
  return httpFunction(endpoint, middlewares, async (context) =>
    respond(makeRequest(context), (await context.loading) as Loaded),
  );
};

import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Caller } from '../../core/access/admission.ts';
import type { KeyKind } from '../../core/access/api-key.ts';
import type { TableId } from '../../core/tables.ts';
import { admission } from './admission.ts';
import { bulkSizeLimit } from './bulk-size.ts';
import { dateParameter } from './date-parameter.ts';
import { type EarlyLoad, withEarlyLoad } from './early-load.ts';
import type { ServedEndpoint } from './endpoint.ts';
import { type Answer, type GatewayHandler, httpFunction, openTables } from './http-function.ts';
import type { InboundMiddleware, RequestContext } from './request.ts';

/** The input of an endpoint besides path parameters and the query parameter `date`. Its `input.ts` makes it with `readsInput`. */
export interface Input<Values extends object = object> {
  readonly hasBody: boolean;
  /** Read and validate the input, in order. */
  readonly middlewares: (row: ServedEndpoint) => readonly InboundMiddleware[];
  /** The validated values. */
  readonly valuesOf: (context: RequestContext) => Values;
}

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The request as `load` gets it, without the values of the endpoint's input, which are added to it. */
export interface LoadRequest<Row extends ServedEndpoint> extends Pick<RequestContext, 'now' | 'deadline' | 'date'> {
  /** The path parameters; an empty string for one that a malformed event lacks. */
  readonly parameters: Readonly<Record<NamesIn<Row['paths'][0]>, string>>;
  /** From the key's prefix: a test key sees the sandbox only, the probe's key the sandbox's vehicles and its own content. */
  readonly keyKind: KeyKind;
  /** The endpoint's path with the requested prefix, `/v1/api` or `/api` (docs/contract.md#addresses-and-versions), for links. */
  readonly address: string;
  /** Absent while admission runs. */
  readonly caller?: Caller;
}

/** The request of an admitted caller. */
export type ApiRequest<Row extends ServedEndpoint> = LoadRequest<Row> & { readonly caller: Caller };

/** How an endpoint responds, and what it can load while admission runs. */
export interface Service<Row extends ServedEndpoint, Values extends object, Loaded>
  extends Partial<EarlyLoad<LoadRequest<Row> & Values, Loaded>> {
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
const requestsOf = <Row extends ServedEndpoint, Values extends object>({ paths }: Row, input?: Input<Values>) => {
  const names = [...paths[0].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return (context: RequestContext) => {
    const { now, deadline, date, path, key, caller, pathParameters } = context;
    return {
      now,
      deadline,
      date,
      caller,
      keyKind: key?.kind,
      parameters: Object.fromEntries(names.map((name) => [name, pathParameters[name] ?? ''])),
      address: paths.find((known) => known === path) ?? paths[0],
      ...input?.valuesOf(context),
      // `keyForm` has set the key. While admission runs there is no caller, as the type of `load` says.
    } as ApiRequest<Row> & Values;
  };
};

/**
 * Makes the function of an endpoint: `httpFunction`, with middlewares for admission, input and the limit of a bulk request.
 * With `load`, input is read and items are loaded while admission runs, so that a lookup takes the time of one round trip.
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
  { endpoint, input }: { readonly endpoint: Row; readonly input?: Input<Values> },
  define: Define<Row, Values, Loaded>,
): GatewayHandler => {
  const { db, tables, store } = openTables(endpoint);
  const { load, respond, ...conditions } = define({ db, tables });
  const requestOf = requestsOf(endpoint, input);
  const [date, ...read] = [dateParameter(endpoint), ...(input?.middlewares(endpoint) ?? [])];
  const parts = { row: endpoint, store, requestOf, date, read, hasBody: input?.hasBody === true };
  const middlewares = load
    ? withEarlyLoad(parts, { load, ...conditions })
    : [admission(store, endpoint.scope), date, ...read, bulkSizeLimit(endpoint)];
  return httpFunction(endpoint, middlewares, async (context) =>
    respond(requestOf(context), context.loaded?.value as Loaded),
  );
};

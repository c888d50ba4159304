import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { KeyKind, PresentedKey } from '../../core/access/api-key.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import type { TableId } from '../../core/tables.ts';
import { admission } from './admission.ts';
import { rejectBeyondEveryPlan, rejectBeyondPlan } from './bulk.ts';
import type { ServedEndpoint } from './endpoint-definition.ts';
import { extraUnits } from './extra-units.ts';
import { type Answer, type GatewayHandler, httpFunction, openResources } from './http-function.ts';
import type { RequestContext } from './request.ts';
import { chooseSigning } from './signed-answers.ts';
import { type RequestParts, validation } from './validation.ts';

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** What `load` knows of a request: it runs before the caller is admitted and the input is read. */
interface LoadRequest<Row extends ServedEndpoint> extends Pick<RequestContext, 'now' | 'deadline'> {
  /** The path parameters; an empty string for one that a malformed event lacks. */
  readonly parameters: Readonly<Record<NamesIn<Row['paths'][0]>, string>>;
  /** From the key's prefix. Only live keys see stored vehicles; each kind has content of its own. */
  readonly keyKind: KeyKind;
}

/** The request of an admitted caller. The values of the endpoint's input are added. */
interface ApiRequest<Row extends ServedEndpoint> extends LoadRequest<Row>, Pick<RequestContext, 'date'> {
  /** The endpoint's path with the requested prefix, `/v1/api` or `/api` (docs/contract.md#addresses-and-versions). */
  readonly address: string;
  readonly caller: Caller;
}

/** How an endpoint responds, and what it loads while admission runs. */
interface Service<Row extends ServedEndpoint, Values extends object, Loaded> {
  /** Reads the one thing that the path names. */
  readonly load?: (request: LoadRequest<Row>) => Promise<Loaded>;
  readonly respond: (request: ApiRequest<Row> & Values, loaded: Loaded) => Answer | Promise<Answer>;
}

/** The context when `load` runs: `keyForm` has set the key. */
type KeyedContext = RequestContext & { readonly key: PresentedKey };

/** The context when `respond` runs: admission has set the caller, and validation the input. */
type AdmittedContext<Values> = KeyedContext & { readonly caller: Caller; readonly input: Values };

/**
 * Makes the function of an endpoint from `httpFunction` and the middlewares for signed answers, admission, input and
 * bulk requests. What `load` reads is read while admission runs: a lookup takes one round trip.
 * @example
 * export const handler = serve({ endpoint }, ({ db, tables }) => {
 *   const content = contentByKeyKind(db, tables.content);
 *   return {
 *     load: ({ parameters, keyKind }) => content[keyKind].find(parameters.id),
 *     respond: (_request, stored) => ({ body: stored?.item }),
 *   };
 * });
 * @throws MissingEnvironment at start, naming every variable that is missing
 */
export const serve = <const Row extends ServedEndpoint, Loaded, Values extends object = object>(
  { endpoint, ...parts }: { readonly endpoint: Row } & RequestParts<Values>,
  define: (resources: {
    readonly db: DynamoDBDocumentClient;
    readonly tables: Readonly<Record<keyof Row['tables'] & TableId, string>>;
  }) => Service<Row, Values, Loaded>,
): GatewayHandler => {
  const { db, tables, usage, store } = openResources(endpoint);
  const { load, respond } = define({ db, tables });
  const { paths, scope, bulk } = endpoint;
  const names = [...paths[0].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

  const toLoadRequest = ({ now, deadline, key, pathParameters }: KeyedContext): LoadRequest<Row> => {
    const parameters = Object.fromEntries(names.map((name) => [name, pathParameters[name] ?? '']));
    return { now, deadline, keyKind: key.kind, parameters: parameters as LoadRequest<Row>['parameters'] };
  };
  const toApiRequest = (context: AdmittedContext<Values>): ApiRequest<Row> & Values => {
    const { date, caller, path, input } = context;
    // Another path than the row's is from a malformed event, and is never repeated.
    const address = paths.find((known) => known === path) ?? paths[0];
    return { ...toLoadRequest(context), date, caller, address, ...input };
  };

  const middlewares = [
    chooseSigning(endpoint),
    admission(store, scope, load && (async (context) => load(toLoadRequest(context as KeyedContext)))),
    ...(parts.input?.parsing ?? []),
    ...(bulk ? [rejectBeyondEveryPlan] : []),
    validation(endpoint, parts),
    ...(bulk ? [rejectBeyondPlan, extraUnits(usage.addExtraUnits)] : []),
  ];
  return httpFunction(endpoint, middlewares, async (context) =>
    respond(toApiRequest(context as AdmittedContext<Values>), (await context.loading) as Loaded),
  );
};

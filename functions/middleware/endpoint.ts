import type { AdmissionStore } from '../access/admission.ts';
import { keysTable } from '../access/keys-table.ts';
import { recentlyAdmittedKeys } from '../access/recently-admitted-keys.ts';
import { usageTable } from '../access/usage-table.ts';
import { database } from '../dynamodb/database.ts';
import { declaresInput, type Endpoint, type EndpointId, endpoints, fallback } from '../endpoints.ts';
import { tableNamesFromEnvironment } from '../runtime/environment.ts';
import type { TableId } from '../tables.ts';
import { admission, admissionBesideLoad, keyForm } from './admission.ts';
import type { Answer, ApiRequest, LoadRequest, Resources } from './api-request.ts';
import { hasCheapBody } from './body-checks.ts';
import { bulkLength, bulkSizeLimit } from './bulk-size.ts';
import { deferErrors, throwDeferredError } from './deferred-errors.ts';
import type { InboundMiddleware, RequestContext } from './request-context.ts';
import { inputMiddlewares } from './request-input.ts';
import { type AdmittedContext, type GatewayHandler, stack } from './stack.ts';

const openTables = (tables: Endpoint['tables']) => {
  const db = database();
  const names = tableNamesFromEnvironment(Object.keys(tables) as TableId[]);
  const store: AdmissionStore = {
    findKey: keysTable(db, names.keys).find,
    incrementUsage: usageTable(db, names.usage).increment,
  };
  return { db, names, store };
};

/** A path that the row does not have came with a malformed event, and is never repeated in a header. */
const addressOf = ({ paths }: Endpoint, path: string): string => paths.find((known) => known === path) ?? paths[0];

/** The types of an endpoint's input are those of its row, which has just validated it. */
const requestOf = <Id extends EndpointId>(row: Endpoint, context: RequestContext): LoadRequest<Id> => {
  const { pathParameters, input, now, deadline, path } = context;
  return { parameters: pathParameters, ...input, now, deadline, address: addressOf(row, path) } as LoadRequest<Id>;
};

const admittedRequestOf = <Id extends EndpointId>(row: Endpoint, context: AdmittedContext): ApiRequest<Id> => ({
  ...requestOf<Id>(row, context),
  caller: context.caller,
});

/** Whether and how a row's input is read follows from the row. */
const inputOf = (row: Endpoint): readonly InboundMiddleware[] => (declaresInput(row) ? inputMiddlewares(row) : []);

/**
 * The function of a row that acts only once its caller is admitted.
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
    middlewares: [keyForm(), admission(store, row.scope), ...inputOf(row), bulkSizeLimit(row)],
    respond: (context) => respond(admittedRequestOf<Id>(row, context)),
  });
};

/** The two halves of a lookup: `load` can run while admission runs and knows nothing of the caller. */
export interface Lookup<Id extends EndpointId, Loaded> {
  readonly load: (request: LoadRequest<Id>) => Promise<Loaded>;
  /** Whether `load` may read many items: then it waits for admission, unless the key was recently admitted. */
  readonly isExpensive?: (request: LoadRequest<Id>) => boolean;
  readonly respond: (loaded: Loaded, request: ApiRequest<Id>) => Answer;
}

/**
 * The middlewares of a lookup. Before admission, with errors deferred, it reads its input and loads, as far as an
 * unauthenticated caller can't make that expensive: other bodies than cheap ones and expensive loads wait, unless the key was
 * recently admitted by this instance; even then nothing is read beyond that key's bulk size.
 */
const lookupMiddlewares = <Id extends EndpointId>(
  row: Endpoint,
  store: AdmissionStore,
  { load, isExpensive = () => false }: Pick<Lookup<Id, unknown>, 'load' | 'isExpensive'>,
): readonly InboundMiddleware[] => {
  const recentlyAdmitted = recentlyAdmittedKeys();
  const recentPlan = ({ key }: RequestContext) => key && recentlyAdmitted.planOf(key.hash);

  const isInputRead = ({ input }: RequestContext): boolean => input !== undefined || !declaresInput(row);
  const mayReadInput = (context: RequestContext): boolean =>
    row.body === undefined || hasCheapBody(context) || recentPlan(context) !== undefined;
  const mayLoad = (context: RequestContext): boolean => {
    if (!isInputRead(context)) return false;
    const plan = recentPlan(context);
    return plan ? bulkLength(row, context.body) <= plan.bulkSize : !isExpensive(requestOf<Id>(row, context));
  };

  const loading: InboundMiddleware = {
    before: async ({ event: context }) => {
      context.loaded = { value: await context.deadline.within(load(requestOf<Id>(row, context))) };
    },
  };
  const unlessRead = ({ before }: InboundMiddleware): InboundMiddleware => ({
    before: (request) => (isInputRead(request.event) ? undefined : before(request)),
  });
  const input = inputOf(row);
  return [
    keyForm(),
    ...input.map((middleware) => deferErrors(middleware, mayReadInput)),
    admissionBesideLoad(store, row.scope, deferErrors(loading, mayLoad), recentlyAdmitted),
    throwDeferredError(),
    ...input.map(unlessRead),
    bulkSizeLimit(row),
  ];
};

/**
 * The function of a row that only reads, in the time of one round trip.
 * @throws MissingEnvironment at start, naming every variable that is missing
 */
export const lookup = <Id extends EndpointId, Loaded>(
  id: Id,
  define: (resources: Resources<Id>) => Lookup<Id, Loaded>,
): GatewayHandler => {
  const row: Endpoint = endpoints[id];
  const { db, names, store } = openTables(row.tables);
  const { load, respond, ...options } = define({ db, tables: names });
  return stack({
    endpoint: id,
    successStatus: row.successStatus,
    middlewares: lookupMiddlewares<Id>(row, store, { load, ...options }),
    respond: async (context) => {
      const request = admittedRequestOf<Id>(row, context);
      const loaded = context.loaded ? (context.loaded.value as Loaded) : await load(request);
      return respond(loaded, request);
    },
  });
};

/** The function for what no row serves: `refuse` throws, once the caller is admitted. */
export const fallbackEndpoint = (refuse: (method: string, path: string) => never): GatewayHandler =>
  stack({
    endpoint: fallback.route,
    successStatus: 404,
    middlewares: [keyForm(), admission(openTables(fallback.tables).store)],
    respond: ({ method, path }) => refuse(method, path),
  });

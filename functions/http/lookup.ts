import type { AdmissionStore } from '../../core/access/admission.ts';
import { recentlyAdmittedKeys } from '../../core/access/recently-admitted-keys.ts';
import { declaresInput, type Endpoint, type EndpointId, endpoints } from '../endpoints.ts';
import { admissionBesideLoad } from './admission.ts';
import { hasCheapBody } from './body-checks.ts';
import { dateParameter } from './date-parameter.ts';
import {
  type ApiRequest,
  admittedRequestOf,
  type LoadRequest,
  openTables,
  type Resources,
  requestOf,
} from './endpoint.ts';
import { keyForm } from './key-form.ts';
import type { InboundMiddleware, RequestContext } from './request-context.ts';
import { bulkLength, bulkSizeLimit, inputMiddlewares } from './request-input.ts';
import { type Answer, type GatewayHandler, stack } from './stack.ts';

/** The two parts of a lookup. */
export interface Lookup<Id extends EndpointId, Loaded> {
  /** Can run while admission runs: of the caller its request has only the key's environment then. */
  readonly load: (request: LoadRequest<Id>) => Promise<Loaded>;
  /** Whether `load` may read many items: then it waits for admission, unless the key was recently admitted. */
  readonly isExpensive?: (request: LoadRequest<Id>) => boolean;
  /** Whether `load` needs the caller: then it always waits for admission. */
  readonly needsCaller?: (request: LoadRequest<Id>) => boolean;
  readonly respond: (loaded: Loaded, request: ApiRequest<Id>) => Answer;
}

/**
 * Lets a middleware run before admission. Its error is kept for `throwDeferredError`, because 401, 429 and 403 come first.
 * Does nothing after an earlier deferred error, or when the condition is false.
 * @example
 * [deferErrors(validation(row), hasCheapBody), admission(store, row.scope), throwDeferredError()]
 */
const deferErrors = (
  middleware: InboundMiddleware,
  condition: (context: RequestContext) => boolean,
): InboundMiddleware => ({
  before: async (request) => {
    const { event: context } = request;
    if (context.deferredError !== undefined || !condition(context)) return;
    try {
      await middleware.before(request);
    } catch (error) {
      context.deferredError = error;
    }
  },
});

/** Throws the deferred error, if there is one: the caller is admitted by now and may see it. */
const throwDeferredError = (): InboundMiddleware => ({
  before: ({ event: { deferredError } }) => {
    if (deferredError !== undefined) throw deferredError;
  },
});

/**
 * The middlewares of a lookup. Input is read and items are loaded before admission, with errors deferred, only where an
 * unauthenticated caller cannot make that expensive. Large bodies and expensive loads wait for admission, unless this
 * instance recently admitted the key; even then at most that key's bulk size is read.
 */
const lookupMiddlewares = <Id extends EndpointId>(
  row: Endpoint,
  store: AdmissionStore,
  { load, isExpensive = () => false, needsCaller = () => false }: Omit<Lookup<Id, unknown>, 'respond'>,
): readonly InboundMiddleware[] => {
  const recentlyAdmitted = recentlyAdmittedKeys();
  const recentPlan = ({ key }: RequestContext) => key && recentlyAdmitted.planOf(key.hash);

  const isInputRead = ({ input }: RequestContext): boolean => input !== undefined || !declaresInput(row);
  const mayReadInput = (context: RequestContext): boolean =>
    row.body === undefined || hasCheapBody(context) || recentPlan(context) !== undefined;
  const mayLoad = (context: RequestContext): boolean => {
    if (!isInputRead(context)) return false;
    const request = requestOf<Id>(row, context);
    if (needsCaller(request)) return false;
    const plan = recentPlan(context);
    return plan ? bulkLength(row, context.body) <= plan.bulkSize : !isExpensive(request);
  };

  const loading: InboundMiddleware = {
    before: async ({ event: context }) => {
      context.loaded = { value: await context.deadline.within(load(requestOf<Id>(row, context))) };
    },
  };
  const unlessRead = ({ before }: InboundMiddleware): InboundMiddleware => ({
    before: (request) => (isInputRead(request.event) ? undefined : before(request)),
  });
  const input = inputMiddlewares(row);
  return [
    keyForm(),
    deferErrors(dateParameter(row), () => true),
    ...input.map((middleware) => deferErrors(middleware, mayReadInput)),
    admissionBesideLoad(store, row.scope, deferErrors(loading, mayLoad), recentlyAdmitted),
    throwDeferredError(),
    ...input.map(unlessRead),
    bulkSizeLimit(row),
  ];
};

/**
 * The function of a row that only reads. It loads while admission runs, so it takes the time of one round trip.
 * @example
 * export const handler = lookup('read-content', ({ db, tables }) => {
 *   const content = contentTables(db, tables.content);
 *   return {
 *     load: ({ parameters, environment }) => content[environment].find(parameters.id),
 *     respond: (stored) => ({ body: stored?.item }),
 *   };
 * });
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

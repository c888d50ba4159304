/** Reads input and loads items while admission runs, except where an unauthenticated caller could make that expensive. */
import type { AdmissionStore } from '../../core/access/admission.ts';
import type { Plan } from '../../core/access/plans.ts';
import { type RecentMap, recentMap } from '../../core/access/recent-map.ts';
import type { Scope } from '../../core/access/scopes.ts';
import { admit } from './admission.ts';
import { hasCheapBody } from './body-checks.ts';
import { bulkLength, bulkSizeLimit } from './bulk-size.ts';
import type { ServedEndpoint } from './endpoint.ts';
import type { HttpRequest, InboundMiddleware, RequestContext } from './request.ts';

/** What a service loads, and when that must wait for admission. */
export interface EarlyLoad<Request, Loaded> {
  /** May run while admission runs. Its request then has the key's kind but no caller. */
  readonly load: (request: Request) => Promise<Loaded>;
  /** Whether `load` is an expensive read. It then waits for admission, unless the key was recently admitted. */
  readonly isExpensive?: (request: Request) => boolean;
  /** Whether `load` needs the caller. It then always waits for admission. */
  readonly needsCaller?: (request: Request) => boolean;
}

interface Parts<Request> {
  readonly row: ServedEndpoint;
  readonly store: AdmissionStore;
  readonly requestOf: (context: RequestContext) => Request;
  readonly date: InboundMiddleware;
  /** The middlewares that read and validate the input, in order. */
  readonly read: readonly InboundMiddleware[];
  readonly hasBody: boolean;
}

/**
 * Runs middlewares in order, before admission. Defers the first error until `throwDeferredError`, because 401, 429 and 403 take
 * precedence. Does nothing when an error is already deferred or the condition is false.
 * @example
 * [deferErrors([validation], () => true), admission(store, row.scope), throwDeferredError]
 */
const deferErrors = (
  middlewares: readonly InboundMiddleware[],
  condition: (request: HttpRequest) => boolean,
): InboundMiddleware => ({
  before: async (request) => {
    const { internal: context } = request;
    if (context.deferredError !== undefined || !condition(request)) return;
    try {
      for (const { before } of middlewares) await before(request);
    } catch (error) {
      context.deferredError = error;
    }
  },
});

/** Throws the deferred error, if any. Runs after admission. */
const throwDeferredError: InboundMiddleware = {
  before: ({ internal: { deferredError } }) => {
    if (deferredError !== undefined) throw deferredError;
  },
};

/**
 * As `admission`, with `load` in parallel, which saves a round trip. `load` must defer its errors. Its result is used only
 * after admission, so a rejected caller learns nothing from it, not even from an error.
 * @throws UNAUTHORIZED, RATE_LIMITED, SCOPE_MISSING
 */
export const admissionBesideLoad = (
  store: AdmissionStore,
  scope: Scope | undefined,
  load: InboundMiddleware,
  recentlyAdmitted: RecentMap<Plan>,
): InboundMiddleware => ({
  before: async (request) => {
    const { internal: context } = request;
    const hash = context.key?.hash ?? '';
    // Admission sends its requests first: otherwise a rejection would wait until the loaded items are parsed.
    const admitting = admit(store, scope, context);
    const loading = load.before(request);
    try {
      const { plan } = await admitting;
      recentlyAdmitted.remember(hash, plan);
    } catch (error) {
      recentlyAdmitted.forget(hash);
      throw error;
    }
    await loading;
  },
});

/**
 * The middlewares of a service with `load`, for admission, input and loading. Large bodies and expensive reads wait for admission,
 * unless the key was recently admitted. Even then, at most its plan's bulk size is loaded early. The last one loads what had to wait.
 */
export const withEarlyLoad = <Request>(
  { row, store, requestOf, date, read, hasBody }: Parts<Request>,
  { load, isExpensive = () => false, needsCaller = () => false }: EarlyLoad<Request, unknown>,
): readonly InboundMiddleware[] => {
  const recentlyAdmitted = recentMap<Plan>();
  const recentPlan = ({ key }: RequestContext) => key && recentlyAdmitted.get(key.hash);

  const isInputRead = ({ input }: RequestContext): boolean => input !== undefined || read.length === 0;
  const mayReadInput = ({ event, internal }: HttpRequest): boolean =>
    !hasBody || hasCheapBody(event) || recentPlan(internal) !== undefined;
  const mayLoad = ({ internal: context }: HttpRequest): boolean => {
    if (!isInputRead(context)) return false;
    const request = requestOf(context);
    if (needsCaller(request)) return false;
    const plan = recentPlan(context);
    return plan ? bulkLength(row, context.input?.body) <= plan.bulkSize : !isExpensive(request);
  };

  const loading: InboundMiddleware = {
    before: async ({ internal: context }) => {
      context.loaded ??= { value: await context.deadline.within(load(requestOf(context))) };
    },
  };
  const unlessRead = ({ before }: InboundMiddleware): InboundMiddleware => ({
    before: (request) => (isInputRead(request.internal) ? undefined : before(request)),
  });
  return [
    deferErrors([date], () => true),
    deferErrors(read, mayReadInput),
    admissionBesideLoad(store, row.scope, deferErrors([loading], mayLoad), recentlyAdmitted),
    throwDeferredError,
    ...read.map(unlessRead),
    bulkSizeLimit(row),
    loading,
  ];
};

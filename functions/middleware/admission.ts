import { type AdmissionStore, authenticate, type Caller, isWithinLimit } from '../access/admission.ts';
import { presentedKey } from '../access/api-key.ts';
import type { Scope } from '../access/keys-table.ts';
import { type Plan, windowAt } from '../access/plans.ts';
import { apiError } from '../problems.ts';
import type { InboundMiddleware, RequestContext } from './request-context.ts';

/** Reads the request's key, once. Nothing else is read of a request without a well-formed key. @throws UNAUTHORIZED */
export const keyForm = (): InboundMiddleware => ({
  before: ({ event: context }) => {
    const key = presentedKey(context.headers);
    if (key === undefined) throw apiError('UNAUTHORIZED');
    context.key = key;
  },
});

const secondsUntilReset = (now: Date): number => Math.max(1, Math.ceil(windowAt(now).end - now.getTime() / 1_000));

/** Key, then scope, then limit: contract.md "Precedence". */
const admit = async (store: AdmissionStore, scope: Scope | undefined, context: RequestContext): Promise<Caller> => {
  const { deadline, now, key } = context;
  const caller = key && (await deadline.within(authenticate(store, key, now)));
  if (caller === undefined) throw apiError('UNAUTHORIZED');
  context.caller = caller;
  if (scope !== undefined && !caller.key.scopes.includes(scope)) throw apiError('SCOPE_MISSING', { scope });
  if (!isWithinLimit(caller)) {
    const { requestsPerWindow: limit } = caller.plan;
    throw apiError('RATE_LIMITED', { limit, retryAfterSeconds: secondsUntilReset(now) });
  }
  return caller;
};

/** Admits the caller. @throws UNAUTHORIZED, SCOPE_MISSING, RATE_LIMITED */
export const admission = (store: AdmissionStore, scope?: Scope): InboundMiddleware => ({
  before: async ({ event: context }) => {
    await admit(store, scope, context);
  },
});

/** Maximum number of keys. Beyond it the least recently admitted one is forgotten. */
const MAX_KEYS = 1_000;

/**
 * The plans of the keys that this instance admitted on their last request, by hash. They never replace admission: they only
 * decide whether an expensive load may start while admission runs.
 */
export const recentlyAdmittedKeys = () => {
  const plans = new Map<string, Plan>();
  return {
    planOf: (hash: string): Plan | undefined => plans.get(hash),

    remember: (hash: string, plan: Plan): void => {
      plans.delete(hash);
      plans.set(hash, plan);
      const [leastRecent] = plans.keys();
      if (plans.size > MAX_KEYS && leastRecent !== undefined) plans.delete(leastRecent);
    },

    forget: (hash: string): void => void plans.delete(hash),
  };
};

export type RecentlyAdmittedKeys = ReturnType<typeof recentlyAdmittedKeys>;

/**
 * As `admission`, with `load` in parallel, which saves a round trip. `load` must defer its errors. Its result is used only
 * after admission, so a rejected caller learns nothing from it, not even from an error.
 * @throws UNAUTHORIZED, SCOPE_MISSING, RATE_LIMITED
 */
export const admissionBesideLoad = (
  store: AdmissionStore,
  scope: Scope,
  load: InboundMiddleware,
  recentlyAdmitted: RecentlyAdmittedKeys,
): InboundMiddleware => ({
  before: async (request) => {
    const { event: context } = request;
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

import { type AdmissionStore, authenticate, type Caller, isWithinLimit } from '../../core/access/admission.ts';
import { type Plan, windowAt } from '../../core/access/plans.ts';
import type { RecentMap } from '../../core/access/recent-map.ts';
import type { Scope } from '../../core/access/scopes.ts';
import { apiError } from '../../core/problems.ts';
import type { InboundMiddleware, RequestContext } from './request.ts';

const secondsUntilReset = (now: Date): number => Math.max(1, Math.ceil(windowAt(now).end - now.getTime() / 1_000));

/** Authentication, then rate limit, then authorisation: docs/contract.md#precedence. */
const admit = async (store: AdmissionStore, scope: Scope | undefined, context: RequestContext): Promise<Caller> => {
  const { deadline, now, key } = context;
  const caller = key && (await deadline.within(authenticate(store, key, now)));
  if (caller === undefined) throw apiError('UNAUTHORIZED');
  context.caller = caller;
  if (!isWithinLimit(caller)) {
    const { requestsPerWindow: limit } = caller.plan;
    throw apiError('RATE_LIMITED', { limit, retryAfterSeconds: secondsUntilReset(now) });
  }
  if (scope !== undefined && !caller.key.scopes.includes(scope)) throw apiError('SCOPE_MISSING', { scope });
  return caller;
};

/** Admits the caller. @throws UNAUTHORIZED, RATE_LIMITED, SCOPE_MISSING */
export const admission = (store: AdmissionStore, scope?: Scope): InboundMiddleware => ({
  before: async ({ internal: context }) => {
    await admit(store, scope, context);
  },
});

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

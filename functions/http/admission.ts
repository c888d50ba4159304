import { type AdmissionStore, authenticate, type Caller, isWithinLimit } from '../../core/access/admission.ts';
import { windowAt } from '../../core/access/plans.ts';
import type { Scope } from '../../core/access/scopes.ts';
import { apiError } from '../../core/problems.ts';
import type { InboundMiddleware, RequestContext } from './request.ts';

const secondsUntilReset = (now: Date): number => Math.max(1, Math.ceil(windowAt(now).end - now.getTime() / 1_000));

/**
 * Authentication, then rate limit, then authorisation: docs/contract.md#precedence.
 * @throws UNAUTHORIZED, RATE_LIMITED, SCOPE_MISSING
 */
export const admit = async (
  store: AdmissionStore,
  scope: Scope | undefined,
  context: RequestContext,
): Promise<Caller> => {
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

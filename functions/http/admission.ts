import { type AdmissionStore, authenticate, isWithinLimit } from '../../core/access/authenticate.ts';
import { windowAt } from '../../core/access/plans.ts';
import type { Scope } from '../../core/access/scopes.ts';
import { rateLimited, scopeMissing, unauthorized } from '../../core/problems.ts';
import type { InboundMiddleware, RequestContext } from './request.ts';

const secondsUntilReset = (now: Date): number => Math.max(1, Math.ceil(windowAt(now).end - now.getTime() / 1_000));

/** Authentication, then rate limit, then authorisation: docs/contract.md#precedence. */
const admit = async (store: AdmissionStore, scope: Scope | undefined, context: RequestContext): Promise<void> => {
  const { deadline, now, key } = context;
  const caller = key && (await deadline.within(authenticate(store, key, now)));
  if (caller === undefined) throw unauthorized();
  context.caller = caller;
  if (!isWithinLimit(caller)) throw rateLimited(caller.plan.requestsPerWindow, secondsUntilReset(now));
  if (scope !== undefined && !caller.key.scopes.includes(scope)) throw scopeMissing(scope);
};

/**
 * Admits the caller, and runs `load` in parallel, which saves a round trip. Its result is used only after admission: a
 * rejected caller learns nothing from it, not even from an error.
 * @throws UNAUTHORIZED, RATE_LIMITED, SCOPE_MISSING, then the context's `deferredError`
 */
export const admission = (
  store: AdmissionStore,
  scope?: Scope,
  load?: (context: RequestContext) => Promise<unknown>,
): InboundMiddleware => ({
  before: async ({ internal: context }) => {
    // Before `load`: otherwise a rejection would wait until the loaded items are parsed.
    const admitted = admit(store, scope, context);
    if (context.deferredError === undefined) context.loading = load?.(context);
    // Nobody awaits it when the request is rejected, and an unhandled rejection ends the process.
    context.loading?.catch(() => undefined);
    await admitted;
    if (context.deferredError !== undefined) throw context.deferredError;
  },
});

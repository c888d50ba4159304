import type { PresentedKey } from '../../core/access/api-key.ts';
import { type Access, authenticate, type Caller, isWithinLimit, recordLimit } from '../../core/access/authenticate.ts';
import { secondsUntilReset } from '../../core/access/plans.ts';
import type { Scope } from '../../core/access/scopes.ts';
import { rateLimited, scopeMissing, unauthorized } from '../../core/problems.ts';
import { logFailure } from '../../core/runtime/log.ts';
import type { HttpRequest, RequestContext } from './request.ts';

/** Authenticates the caller, then applies the rate limit, then checks the scope (docs/contract.md#precedence). */
const admit = async (
  access: Access,
  scope: Scope | undefined,
  context: RequestContext & { readonly key: PresentedKey },
  preload: () => void,
): Promise<void> => {
  const { deadline, key, now, requestId } = context;
  const caller = await deadline.within(authenticate(access, key, context, preload));
  if (caller === undefined) throw unauthorized();
  context.caller = caller;
  if (!isWithinLimit(caller)) {
    // The rejection does not depend on this write: the next rejected request tries again.
    await deadline.within(recordLimit(access, caller, now)).catch((error: unknown) => logFailure(requestId, error));
    throw rateLimited(caller.plan.requestsPerWindow, secondsUntilReset(now));
  }
  if (scope !== undefined && !caller.key.scopes.includes(scope)) throw scopeMissing(scope);
};

/**
 * Admits the caller, and runs `load` while the request is counted, which saves a round trip. It does not run for a key
 * that is not in force, unless this instance has just seen it in force. Its result is used only after validation, so a
 * rejected caller learns nothing from it, not even from an error. When the path is invalid, `load` does not run, and
 * `context.loading` is rejected with the error of the path.
 * @throws UNAUTHORIZED, RATE_LIMITED, SCOPE_MISSING
 */
export const admission = <Found, Loaded>(
  access: Access,
  scope: Scope | undefined,
  load: (request: RequestContext & Found) => Promise<Loaded>,
) => ({
  before: ({
    context,
  }: HttpRequest<Found & { key: PresentedKey; caller: Caller; loading: Promise<Loaded> }>): Promise<void> =>
    admit(access, scope, context, () => {
      context.loading = context.pathError === undefined ? load(context) : Promise.reject(context.pathError);
      // When the request is rejected, nothing awaits this promise, and an unhandled rejection would end the process.
      context.loading.catch(() => undefined);
    }),
});

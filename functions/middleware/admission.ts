import { identify, isWithinLimit, type Register } from '../access/admission.ts';
import { isWellFormedKey } from '../access/api-key.ts';
import { presentedKey } from '../access/presented-key.ts';
import type { Scope } from '../access/scopes.ts';
import { windowAt } from '../access/window.ts';
import { RateLimited, ScopeMissing, Unauthorized } from './access-refusals.ts';
import type { Flow, StackRequest } from './flow.ts';

/** A look-up's reading, which knows nothing of the caller. */
export type Load = (flow: Flow) => Promise<unknown>;

const secondsUntilReset = (now: Date): number => Math.max(1, Math.ceil(windowAt(now).end - now.getTime() / 1_000));

/** Key, then scope, then limit: contract.md "Precedence". */
const admit = async (register: Register, scope: Scope | undefined, flow: Flow): Promise<void> => {
  const caller = await flow.deadline.within(identify(register, presentedKey(flow.headers), flow.now));
  if (caller === undefined) throw new Unauthorized();
  flow.caller = caller;
  if (scope !== undefined && !caller.key.scopes.includes(scope)) throw new ScopeMissing(scope);
  if (!isWithinLimit(caller)) throw new RateLimited(caller.plan.requestsPerWindow, secondsUntilReset(flow.now));
};

/** Whether loading can begin: the request is sound, and what is presented could at least be a key. */
const canLoad = (flow: Flow): boolean => {
  const presented = presentedKey(flow.headers);
  return flow.fault === undefined && presented !== undefined && isWellFormedKey(presented);
};

/** Loads, and keeps a failure for after admission. */
const settle = async (load: Load, flow: Flow): Promise<void> => {
  try {
    flow.loaded = await flow.deadline.within(load(flow));
  } catch (fault) {
    flow.fault = fault;
  }
};

/**
 * Admits the caller or refuses. A look-up loads at the same time, so that it costs one round trip; what it finds is only
 * looked at after admission, so a refused caller learns nothing from it, not even by how it fails.
 */
export const admission = (register: Register, scope: Scope | undefined, load?: Load) => ({
  before: async (request: StackRequest): Promise<void> => {
    const { flow } = request.internal;
    // Admission asks first, so that a refusal is on its way before what was found is even parsed.
    const admitting = admit(register, scope, flow);
    const loading = load && canLoad(flow) ? settle(load, flow) : undefined;
    await admitting;
    await loading;
  },
});

import { identify, isWithinLimit, type Register } from '../access/admission.ts';
import { admittedLately } from '../access/admitted-lately.ts';
import { isWellFormedKey } from '../access/api-key.ts';
import { presentedKey } from '../access/presented-key.ts';
import type { Scope } from '../access/scopes.ts';
import { windowAt } from '../access/window.ts';
import { RateLimited, ScopeMissing, Unauthorized } from './access-refusals.ts';
import type { Flow, StackRequest } from './flow.ts';

/** A look-up's reading, which knows nothing of the caller. */
export interface Loading {
  readonly load: (flow: Flow) => Promise<unknown>;
  /** Whether this request, which is sound, reads so much that strangers must not have it read. */
  readonly readsMuch?: (flow: Flow) => boolean;
}

const secondsUntilReset = (now: Date): number => Math.max(1, Math.ceil(windowAt(now).end - now.getTime() / 1_000));

/** Key, then scope, then limit: contract.md "Precedence". */
const admit = async (register: Register, scope: Scope | undefined, flow: Flow): Promise<void> => {
  const caller = await flow.deadline.within(identify(register, presentedKey(flow.headers), flow.now));
  if (caller === undefined) throw new Unauthorized();
  flow.caller = caller;
  if (scope !== undefined && !caller.key.scopes.includes(scope)) throw new ScopeMissing(scope);
  if (!isWithinLimit(caller)) throw new RateLimited(caller.plan.requestsPerWindow, secondsUntilReset(flow.now));
};

/** Loads what a sound request asks for, and keeps a failure for after admission. */
const settle = async ({ load }: Loading, flow: Flow): Promise<void> => {
  if (flow.fault !== undefined) return;
  try {
    flow.loaded = await flow.deadline.within(load(flow));
  } catch (fault) {
    flow.fault = fault;
  }
};

/** Loads while admission runs, whatever comes of it. */
const loadAtOnce =
  (loading: Loading) =>
  async (flow: Flow, admitting: Promise<void>): Promise<void> => {
    const begun = isWellFormedKey(presentedKey(flow.headers) ?? '') ? settle(loading, flow) : undefined;
    await admitting;
    await begun;
  };

/** What reads much waits for admission, unless the key was admitted when it last called. */
const loadForTheKnown = (loading: Loading, readsMuch: (flow: Flow) => boolean) => {
  const lately = admittedLately();
  const mayBegin = (flow: Flow, key: string): boolean =>
    isWellFormedKey(key) && flow.fault === undefined && (!readsMuch(flow) || lately.has(key));
  return async (flow: Flow, admitting: Promise<void>): Promise<void> => {
    const key = presentedKey(flow.headers) ?? '';
    const begun = mayBegin(flow, key) ? settle(loading, flow) : undefined;
    try {
      await admitting;
      lately.remember(key);
    } catch (refusal) {
      lately.forget(key);
      throw refusal;
    }
    await (begun ?? settle(loading, flow));
  };
};

const loaderOf = (loading: Loading) =>
  loading.readsMuch ? loadForTheKnown(loading, loading.readsMuch) : loadAtOnce(loading);

/**
 * Admits the caller or refuses. A look-up loads at the same time, so that it costs one round trip; what it finds is only
 * looked at after admission, so a refused caller learns nothing from it, not even by how it fails. One that reads much does
 * so only for a key that was admitted when it last called: strangers could else have thousands of items read.
 */
export const admission = (register: Register, scope: Scope | undefined, loading?: Loading) => {
  const load = loading && loaderOf(loading);
  return {
    before: async (request: StackRequest): Promise<void> => {
      const { flow } = request.internal;
      // Admission asks first, so that a refusal is on its way before what was found is even parsed.
      const admitting = admit(register, scope, flow);
      await (load ? load(flow, admitting) : admitting);
    },
  };
};

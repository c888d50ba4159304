import { timingSafeEqual } from 'node:crypto';
import type { LondonDate } from '../runtime/clock.ts';
import type { PresentedKey } from './api-key.ts';
import { type KeyRecord, planOf } from './key-record.ts';
import { type Plan, type Plans, windowAt } from './plans.ts';
import type { recentMap, requestCounter } from './request-counter.ts';

/** Multiple of the plan's limit at which an instance stops incrementing a counter. */
export const MAX_COUNTED_MULTIPLE = 2;

/** What auth reads and writes. */
export interface Access {
  readonly findKey: (id: string) => Promise<KeyRecord | undefined>;
  readonly counter: ReturnType<typeof requestCounter>;
  readonly plans: Plans;
  /**
   * The hashes of keys that this instance has seen in force. They decide the order of its calls and nothing else: each
   * request reads the record of its key.
   */
  readonly seenInForce: ReturnType<typeof recentMap<true>>;
}

/** A valid key, its plan and its usage in the current window. */
export interface Caller {
  readonly key: KeyRecord;
  readonly plan: Plan;
  /**
   * Number of requests in this window, including this one unless the counter is stopped. Undefined when DynamoDB
   * throttled the increment.
   */
  readonly used: number | undefined;
}

/** Returns false for hashes of different lengths, for which `timingSafeEqual` throws. */
const areEqual = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);

const isInForce = (key: KeyRecord, hash: string, today: LondonDate): boolean =>
  areEqual(Buffer.from(key.hash), Buffer.from(hash)) &&
  key.revokedAt === undefined &&
  (key.expires === undefined || today <= key.expires);

/**
 * Identifies the caller. A key that this instance has seen in force is read while the request is counted and `preload`
 * runs, which saves a round trip. The record of any other key is read first, so that a key that is not in force costs
 * one read and no write. An instance stops counting a key far beyond its limit, until its plan is larger.
 * @returns undefined when the key is unknown, expired or revoked
 * @throws the error of the read or of the counter
 */
export const authenticate = async (
  { findKey, counter, plans, seenInForce }: Access,
  { id, hash }: Pick<PresentedKey, 'id' | 'hash'>,
  { now, today }: { readonly now: Date; readonly today: LondonDate },
  preload: () => void,
): Promise<Caller | undefined> => {
  const window = windowAt(now);
  const readKeyInForce = async (): Promise<KeyRecord | undefined> => {
    const key = await findKey(id);
    if (key !== undefined && isInForce(key, hash, today)) {
      seenInForce.remember(hash, true);
      return key;
    }
    seenInForce.forget(hash);
    return undefined;
  };
  const count = () => {
    // Sent before `preload`, so that the response is read before the loaded items are parsed.
    const counting = counter.count(id, window);
    preload();
    return counting;
  };
  const callerWith = async (key: KeyRecord, counted: Awaited<ReturnType<typeof count>>): Promise<Caller> => {
    const plan = planOf(plans, key);
    const mostCounted = MAX_COUNTED_MULTIPLE * plan.requestsPerWindow;
    const used = counted.isStopped && counted.used < mostCounted ? await counter.resume(id, window) : counted.used;
    if (used !== undefined && used >= mostCounted) counter.stop(id, window, used);
    return { key, plan, used };
  };
  if (seenInForce.get(hash) === undefined) {
    const key = await readKeyInForce();
    return key && callerWith(key, await count());
  }
  const [found, counted] = await Promise.allSettled([readKeyInForce(), count()]);
  if (found.status === 'rejected') throw found.reason;
  if (found.value === undefined) return undefined;
  if (counted.status === 'rejected') throw counted.reason;
  return callerWith(found.value, counted.value);
};

/** Whether the request is within the plan's limit; false when the counter was throttled. */
export const isWithinLimit = ({ plan, used }: Caller): boolean => used !== undefined && used <= plan.requestsPerWindow;

/**
 * Records the limit of a window before this instance first rejects a request in it. A later change of the plan then
 * leaves the figures of that window as they were. Writes nothing when the counter was throttled.
 */
export const recordLimit = async ({ counter }: Access, { key, plan, used }: Caller, now: Date): Promise<void> => {
  if (used !== undefined) await counter.recordLimit(key.id, windowAt(now), plan.requestsPerWindow);
};

export const remainingOf = ({ plan, used }: Caller): number =>
  used === undefined ? 0 : Math.max(0, plan.requestsPerWindow - used);

import { timingSafeEqual } from 'node:crypto';
import type { LondonDate } from '../runtime/clock.ts';
import type { PresentedKey } from './api-key.ts';
import { type KeyRecord, planOf } from './key-record.ts';
import { type Plan, type Plans, windowAt } from './plans.ts';
import type { requestCounter } from './request-counter.ts';

/** Multiple of the plan's limit at which an instance stops incrementing a counter. */
export const MAX_COUNTED_MULTIPLE = 2;

/** What admission reads and writes. */
export interface Access {
  readonly findKey: (id: string) => Promise<KeyRecord | undefined>;
  readonly counter: ReturnType<typeof requestCounter>;
  readonly plans: Plans;
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
 * Identifies the caller: reads the key, and counts the request at the same time. Stops the counter of a key that is
 * rejected or far beyond its limit. Counting resumes when the key becomes valid, or its plan larger.
 * @returns undefined when the key is unknown, expired or revoked
 * @throws the error of the read or of the counter
 */
export const authenticate = async (
  { findKey, counter, plans }: Access,
  { id, hash }: Pick<PresentedKey, 'id' | 'hash'>,
  { now, today }: { readonly now: Date; readonly today: LondonDate },
): Promise<Caller | undefined> => {
  const window = windowAt(now);
  const [found, counted] = await Promise.allSettled([findKey(id), counter.count(id, window)]);
  if (found.status === 'rejected') throw found.reason;
  const key = found.value;
  if (key === undefined || !isInForce(key, hash, today)) {
    if (counted.status === 'fulfilled' && counted.value.used !== undefined) {
      counter.stop(id, window, counted.value.used);
    }
    return undefined;
  }
  if (counted.status === 'rejected') throw counted.reason;
  const plan = planOf(plans, key);
  const mostCounted = MAX_COUNTED_MULTIPLE * plan.requestsPerWindow;
  const { value } = counted;
  const used = value.isStopped && value.used < mostCounted ? await counter.resume(id, window) : value.used;
  if (used !== undefined && used >= mostCounted) counter.stop(id, window, used);
  return { key, plan, used };
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

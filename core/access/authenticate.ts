import { timingSafeEqual } from 'node:crypto';
import { addressForbidden, unauthorized } from '../problems.ts';
import type { LondonDate } from '../runtime/clock.ts';
import { isInRanges } from './addresses.ts';
import { allowanceOf, type allowanceUnits } from './allowance.ts';
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
  readonly units: ReturnType<typeof allowanceUnits>;
  readonly plans: Plans;
  /**
   * The keys without addresses that this instance has seen in force, by their hashes. They decide the order of its calls
   * and from which allowance it takes units ahead, and nothing else: each request reads the record of its key.
   */
  readonly seenInForce: ReturnType<typeof recentMap<KeyRecord>>;
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
 * runs, which saves a round trip. The record of any other key, and of a key with addresses, is read first, so that a
 * request that is rejected for its key or its address costs one read and no write. An instance stops counting a key far
 * beyond its limit, until its plan is larger.
 * @throws UNAUTHORIZED when the key is unknown, expired or revoked; ADDRESS_FORBIDDEN; the error of the read or of the
 * counter
 */
export const authenticate = async (
  { findKey, counter, units, plans, seenInForce }: Access,
  { id, hash }: Pick<PresentedKey, 'id' | 'hash'>,
  { now, today, sourceIp }: { readonly now: Date; readonly today: LondonDate; readonly sourceIp: string },
  preload: () => void,
): Promise<Caller> => {
  const window = windowAt(now);
  const readPermittedKey = async (): Promise<KeyRecord> => {
    const key = await findKey(id);
    if (key === undefined || !isInForce(key, hash, today)) {
      seenInForce.forget(hash);
      throw unauthorized();
    }
    if (key.addresses === undefined) {
      seenInForce.remember(hash, key);
      return key;
    }
    seenInForce.forget(hash);
    if (!isInRanges(key.addresses, sourceIp)) throw addressForbidden(sourceIp);
    return key;
  };
  /** @param known the record of the key as it was last read */
  const count = (known: KeyRecord) => {
    // Sent before `preload`, so that the response is read before the loaded items are parsed.
    const counting = counter.count(id, window);
    const allowance = allowanceOf(known, planOf(plans, known), now);
    if (allowance !== undefined) units.prepare(allowance);
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
  const seen = seenInForce.get(hash);
  if (seen === undefined) {
    const key = await readPermittedKey();
    return callerWith(key, await count(key));
  }
  const [found, counted] = await Promise.allSettled([readPermittedKey(), count(seen)]);
  if (found.status === 'rejected') throw found.reason;
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

import { timingSafeEqual } from 'node:crypto';
import { addressForbidden, unauthorized } from '../problems.ts';
import type { LondonDate } from '../runtime/clock.ts';
import type { recentMap } from '../runtime/recent-map.ts';
import { isInRanges } from './addresses.ts';
import { allowanceOf, type allowanceUnits } from './allowance.ts';
import type { PresentedKey } from './api-key.ts';
import { type KeyRecord, planOf } from './key-record.ts';
import { type Plan, type Plans, windowAt } from './plans.ts';
import type { requestCounter } from './request-counter.ts';

/** Multiple of the plan's limit beyond which an instance does not count. */
export const MAX_COUNTED_MULTIPLE = 2;

export interface Access {
  readonly findKey: (id: string) => Promise<KeyRecord | undefined>;
  readonly counter: ReturnType<typeof requestCounter>;
  readonly units: ReturnType<typeof allowanceUnits>;
  readonly plans: Plans;
  /**
   * The keys without addresses that this instance has seen in force, by their hashes. They decide the order of its
   * calls and from which allowance it takes units ahead, and nothing else: each request reads the record of its key.
   */
  readonly seenInForce: ReturnType<typeof recentMap<KeyRecord>>;
}

/** A valid key, its plan and its usage in the current window. */
export interface Caller {
  readonly key: KeyRecord;
  readonly plan: Plan;
  /**
   * Number of requests in this window, including this one unless there are too many to be counted. Undefined when
   * DynamoDB throttled the increment.
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
 * Identifies the caller. A key that this instance has seen in force is read while the request is counted and the reads
 * of `startReads` run, which saves a round trip. The record of any other key, and of a key with addresses, is read
 * first, so that a request that is rejected for its key or its address costs one read and no write.
 * @throws UNAUTHORIZED when the key is unknown, expired or revoked; ADDRESS_FORBIDDEN; the error of the read or of the
 * counter
 */
export const authenticate = async (
  { findKey, counter, units, plans, seenInForce }: Access,
  { id, hash }: Pick<PresentedKey, 'id' | 'hash'>,
  { now, today, sourceIp }: { readonly now: Date; readonly today: LondonDate; readonly sourceIp: string },
  startReads: () => void,
): Promise<Caller> => {
  const readPermittedKey = async (): Promise<KeyRecord> => {
    const key = await findKey(id);
    // Before every check: a key that fails one is not read ahead again, and neither is one that now has addresses.
    seenInForce.forget(hash);
    if (key === undefined || !isInForce(key, hash, today)) throw unauthorized();
    if (key.addresses === undefined) seenInForce.remember(hash, key);
    else if (!isInRanges(key.addresses, sourceIp)) throw addressForbidden(sourceIp);
    return key;
  };
  const mostCounted = (key: KeyRecord) => MAX_COUNTED_MULTIPLE * planOf(plans, key).requestsPerWindow;
  const countWith = (key: KeyRecord) => counter.count(id, windowAt(now), mostCounted(key));
  const seen = seenInForce.get(hash);
  const known = seen ?? (await readPermittedKey());
  const count = () => {
    // Sent before these reads, so that the response is read before the items are parsed.
    const counting = countWith(known);
    const allowance = allowanceOf(known, planOf(plans, known), now);
    if (allowance !== undefined) units.prepare(allowance);
    startReads();
    return counting;
  };
  const [found, counted] = await Promise.allSettled([seen === undefined ? known : readPermittedKey(), count()]);
  if (found.status === 'rejected') throw found.reason;
  if (counted.status === 'rejected') throw counted.reason;
  const key = found.value;
  const used = counted.value;
  // The request may not have been counted, because the plan was smaller when the key was last seen.
  const mayBeUncounted = used !== undefined && used >= mostCounted(known) && used < mostCounted(key);
  return { key, plan: planOf(plans, key), used: mayBeUncounted ? await countWith(key) : used };
};

/** Whether the request is within the plan's limit; false when the counter was throttled. */
export const isWithinLimit = ({ plan, used }: Caller): boolean => used !== undefined && used <= plan.requestsPerWindow;

export const remainingOf = ({ plan, used }: Caller): number =>
  used === undefined ? 0 : Math.max(0, plan.requestsPerWindow - used);

import { timingSafeEqual } from 'node:crypto';
import { isThrottle } from '../dynamodb/database.ts';
import { type LondonDate, londonDate } from '../runtime/clock.ts';
import type { KeyRecord } from './keys-table.ts';
import { PLANS, type Plan } from './plans.ts';
import type { PresentedKey } from './presented-key.ts';
import { type Window, windowAt } from './window.ts';

/** The two tables of admission: keys, and requests counted per key and window. */
export interface AdmissionStore {
  readonly findKey: (id: string) => Promise<KeyRecord | undefined>;
  readonly incrementUsage: (keyId: string, window: Window) => Promise<number>;
}

/** A valid key, its plan and how much of it is used. */
export interface Caller {
  readonly key: KeyRecord;
  readonly plan: Plan;
  /** Requests counted in this window, this one included; `undefined` when the counter itself was throttled. */
  readonly used: number | undefined;
}

const isInForce = (key: KeyRecord, hash: string, today: LondonDate): boolean =>
  timingSafeEqual(Buffer.from(key.hash), Buffer.from(hash)) &&
  key.revokedAt === undefined &&
  (key.expires === undefined || today <= key.expires);

/**
 * Finds out who is calling and counts the request: one read of the key and one increment of its counter at the same time,
 * one round trip in all (design.md "Admission"). `undefined` when the key is unknown, expired or revoked.
 * @throws what prevented the read or the count: nobody is admitted without them
 */
export const authenticate = async (
  store: AdmissionStore,
  { id, hash }: PresentedKey,
  now: Date,
): Promise<Caller | undefined> => {
  const [key, used] = await Promise.allSettled([store.findKey(id), store.incrementUsage(id, windowAt(now))]);
  if (key.status === 'rejected') throw key.reason;
  if (key.value === undefined || !isInForce(key.value, hash, londonDate(now))) return undefined;
  const plan = PLANS[key.value.plan];
  if (used.status === 'fulfilled') return { key: key.value, plan, used: used.value };
  if (isThrottle(used.reason)) return { key: key.value, plan, used: undefined };
  throw used.reason;
};

/** Whether the request fits into the plan's window. A throttled counter is no proof that it does. */
export const isWithinLimit = ({ plan, used }: Caller): boolean => used !== undefined && used <= plan.requestsPerWindow;

/** Requests left in the window after this one. */
export const remainingOf = ({ plan, used }: Caller): number =>
  used === undefined ? 0 : Math.max(0, plan.requestsPerWindow - used);

import { timingSafeEqual } from 'node:crypto';
import { type LondonDate, londonDate } from '../runtime/clock.ts';
import { isThrottle } from '../runtime/dynamodb.ts';
import { hashKey, isWellFormedKey, keyIdOf } from './api-key.ts';
import type { KeyRecord } from './keys-table.ts';
import { PLANS, type Plan } from './plans.ts';
import { type Window, windowAt } from './window.ts';

/** Where keys are found and requests counted: the two tables of this room. */
export interface Register {
  readonly findKey: (id: string) => Promise<KeyRecord | undefined>;
  readonly raise: (keyId: string, window: Window) => Promise<number>;
}

/** A key that exists and is in force, and where it stands in its window. */
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
 * Who is calling, and how many requests that makes: the key is read and the counter raised at the same time, one round
 * trip in all (design.md "Admission"). `undefined` when the key is malformed, unknown, expired or revoked. Fails closed:
 * what cannot be read is thrown, never waved through.
 */
export const identify = async (
  register: Register,
  presented: string | undefined,
  now: Date,
): Promise<Caller | undefined> => {
  if (presented === undefined || !isWellFormedKey(presented)) return undefined;
  const hash = hashKey(presented);
  const [key, used] = await Promise.allSettled([
    register.findKey(keyIdOf(hash)),
    register.raise(keyIdOf(hash), windowAt(now)),
  ]);
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

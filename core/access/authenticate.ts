import { timingSafeEqual } from 'node:crypto';
import { isThrottle } from '../dynamodb/database.ts';
import { type LondonDate, londonDate } from '../runtime/clock.ts';
import type { PresentedKey } from './api-key.ts';
import type { KeyRecord } from './key-record.ts';
import { PLANS, type Plan, type Window, windowAt } from './plans.ts';

/** A map that keeps the `maxEntries` entries that were remembered last. */
export const recentMap = <Value>(maxEntries = 1_000) => {
  const values = new Map<string, Value>();
  return {
    get: (key: string): Value | undefined => values.get(key),
    remember: (key: string, value: Value): void => {
      values.delete(key);
      values.set(key, value);
      const [leastRecent] = values.keys();
      if (values.size > maxEntries && leastRecent !== undefined) values.delete(leastRecent);
    },
    forget: (key: string): void => void values.delete(key),
  };
};

/** Multiple of the plan's limit at which an instance stops incrementing a counter. */
export const MAX_COUNTED_MULTIPLE = 2;

/** What admission reads and writes. */
export interface AdmissionStore {
  readonly findKey: (id: string) => Promise<KeyRecord | undefined>;
  readonly incrementUsage: (keyId: string, window: Window) => Promise<number>;
  /** The last value of each counter that this instance no longer increments, by key id and window. 0: rejected key. */
  readonly uncounted: ReturnType<typeof recentMap<number>>;
}

/** A valid key, its plan and its usage in the current window. */
export interface Caller {
  readonly key: KeyRecord;
  readonly plan: Plan;
  /** Requests of this window, this one included unless it is `uncounted`; undefined when the counter was throttled. */
  readonly used: number | undefined;
}

const isInForce = (key: KeyRecord, hash: string, today: LondonDate): boolean =>
  timingSafeEqual(Buffer.from(key.hash), Buffer.from(hash)) &&
  key.revokedAt === undefined &&
  (key.expires === undefined || today <= key.expires);

/**
 * Identifies the caller and counts the request: reads the key and increments its counter in parallel. Counters of
 * rejected keys and counters far beyond the limit stay as they are, so that callers who ignore 401 or 429 cost no
 * writes. Counting resumes when the key becomes valid, or its plan larger.
 * @returns undefined when the key is unknown, expired or revoked
 * @throws the error of the read or of the increment, except throttling of the increment
 */
export const authenticate = async (
  store: AdmissionStore,
  { id, hash }: Pick<PresentedKey, 'id' | 'hash'>,
  now: Date,
): Promise<Caller | undefined> => {
  const window = windowAt(now);
  const counter = `${id} ${window.start}`;
  const seen = store.uncounted.get(counter);
  const [key, used] = await Promise.allSettled([store.findKey(id), seen ?? store.incrementUsage(id, window)]);
  if (key.status === 'rejected') throw key.reason;
  if (key.value === undefined || !isInForce(key.value, hash, londonDate(now))) {
    store.uncounted.remember(counter, 0);
    return undefined;
  }
  const plan = PLANS[key.value.plan];
  if (used.status === 'rejected' && isThrottle(used.reason)) return { key: key.value, plan, used: undefined };
  if (used.status === 'rejected') throw used.reason;
  if (used.value >= MAX_COUNTED_MULTIPLE * plan.requestsPerWindow) store.uncounted.remember(counter, used.value);
  else if (seen !== undefined) {
    store.uncounted.forget(counter);
    return authenticate(store, { id, hash }, now);
  }
  return { key: key.value, plan, used: used.value };
};

/** Whether the request is within the plan's limit; false when the counter was throttled. */
export const isWithinLimit = ({ plan, used }: Caller): boolean => used !== undefined && used <= plan.requestsPerWindow;

/** Requests left in the window after this one. */
export const remainingOf = ({ plan, used }: Caller): number =>
  used === undefined ? 0 : Math.max(0, plan.requestsPerWindow - used);

import { isThrottle } from '../dynamodb/database.ts';
import type { Window } from './plans.ts';
import type { UsageTable } from './usage-table.ts';

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

const windowName = (keyId: string, { start }: Window): string => `${keyId} ${start}`;

/**
 * Counts the requests of keys in their windows. A counter can be stopped: this instance then remembers its last number
 * and no longer increments it, so that callers who ignore 429 cost no writes. A number is undefined when DynamoDB
 * throttled the increment.
 */
export const requestCounter = (usage: Pick<UsageTable, 'increment' | 'recordLimit'>) => {
  const stopped = recentMap<number>();
  const recordedLimits = recentMap<number>();
  const incrementUnlessThrottled = async (keyId: string, window: Window): Promise<number | undefined> => {
    try {
      return await usage.increment(keyId, window);
    } catch (error) {
      if (isThrottle(error)) return undefined;
      throw error;
    }
  };
  return {
    /** The number of a request, or the last number of a stopped counter. @throws any error but throttling */
    count: async (keyId: string, window: Window) => {
      const last = stopped.get(windowName(keyId, window));
      if (last !== undefined) return { isStopped: true, used: last } as const;
      return { isStopped: false, used: await incrementUnlessThrottled(keyId, window) } as const;
    },
    stop: (keyId: string, window: Window, last: number): void => stopped.remember(windowName(keyId, window), last),
    /** Starts a stopped counter again, and counts a request with it. */
    resume: (keyId: string, window: Window): Promise<number | undefined> => {
      stopped.forget(windowName(keyId, window));
      return incrementUnlessThrottled(keyId, window);
    },
    /** Records the limit of a window in which requests are rejected, unless this instance has done so. */
    recordLimit: async (keyId: string, window: Window, requestsPerWindow: number): Promise<void> => {
      const name = windowName(keyId, window);
      if (recordedLimits.get(name) === requestsPerWindow) return;
      await usage.recordLimit(keyId, window, requestsPerWindow);
      recordedLimits.remember(name, requestsPerWindow);
    },
  };
};

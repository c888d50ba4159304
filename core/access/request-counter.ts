import { isThrottle } from '../aws/database.ts';
import { recentMap } from '../runtime/recent-map.ts';
import type { Window } from './plans.ts';
import type { UsageTable } from './usage-table.ts';

const windowName = (keyId: string, { start }: Window): string => `${keyId} ${start}`;

export const requestCounter = (usage: Pick<UsageTable, 'increment' | 'recordLimit'>) => {
  const stopped = recentMap<number>();
  const recordedLimits = recentMap<number>();
  return {
    /**
     * The number of a request; undefined when DynamoDB throttled the increment. An instance that has seen `mostCounted`
     * counts no further, so that callers who ignore 429 cost no writes: the number is then the last one.
     * @throws any error but throttling
     */
    count: async (keyId: string, window: Window, mostCounted: number): Promise<number | undefined> => {
      const name = windowName(keyId, window);
      const last = stopped.get(name);
      if (last !== undefined && last >= mostCounted) return last;
      try {
        const used = await usage.increment(keyId, window);
        if (used >= mostCounted) stopped.remember(name, used);
        return used;
      } catch (error) {
        if (isThrottle(error)) return undefined;
        throw error;
      }
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

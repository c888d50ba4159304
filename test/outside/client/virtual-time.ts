import type { Timing } from '../../../client/src/index.ts';

/** A clock that advances by each delay. `waits` has the milliseconds; `random` is always 0.5. */
export const virtualTime = () => {
  const waits: number[] = [];
  let now = Date.UTC(2026, 10, 22, 12, 0, 30);
  const timing: Timing = {
    now: () => now,
    random: () => 0.5,
    sleep: async (milliseconds, signal) => {
      signal?.throwIfAborted();
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
  return { timing, waits };
};

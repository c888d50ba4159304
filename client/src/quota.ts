import type { Timing } from './timing.ts';

/** A window is a minute: nothing waits longer for the rate limit, whatever a header says. */
export const WINDOW_MS = 60_000;

/** What is left of the plan's requests in this window, from the rate limit headers of the answers. */
export const trackQuota = ({ now, sleep }: Timing) => {
  let limit = Number.POSITIVE_INFINITY;
  let remaining = Number.POSITIVE_INFINITY;
  let inFlight = 0;
  /** The end of the window: in seconds by the service's clock, and in milliseconds by ours. */
  let reset = 0;
  let resetAt = 0;

  return {
    /** Waits until the quota has a request left, and takes it. */
    take: async (signal: AbortSignal | undefined): Promise<void> => {
      while (remaining <= 0 && now() < resetAt) await sleep(resetAt - now(), signal);
      if (now() >= resetAt) {
        // A new window; its first answer corrects this.
        remaining = limit;
        resetAt = now() + WINDOW_MS;
      }
      remaining -= 1;
      inFlight += 1;
    },
    /** A request has ended, with or without an answer. */
    release: (headers?: Headers): void => {
      inFlight -= 1;
      // Only differences of a clock are used: the two clocks may disagree.
      const serverNow = Date.parse(headers?.get('Date') ?? '') || now();
      const [newLimit, left, announcedReset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
        Number(headers?.get(`X-RateLimit-${name}`) ?? Number.NaN),
      ) as [number, number, number];
      const newReset = Math.min(announcedReset, Math.floor((serverNow + WINDOW_MS) / 1_000));
      // The platform's own answers have no such headers; 0 says that the caller is unknown. Answers overtake each other.
      if (!(newLimit > 0) || !(newReset >= reset) || Number.isNaN(left)) return;
      remaining = newReset === reset ? Math.min(remaining, left) : left - inFlight;
      limit = newLimit;
      reset = newReset;
      resetAt = now() + Math.max(0, reset * 1_000 - serverNow);
    },
  };
};

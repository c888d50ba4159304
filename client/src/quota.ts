import type { Timing } from './timing.ts';

/** Milliseconds of a rate limit window. No single wait is longer, whatever the headers contain. */
export const WINDOW_MS = 60_000;

/** Tracks the remaining requests of the window, from the rate limit headers of responses. */
export const trackQuota = ({ now, sleep }: Timing, onRateLimit: (until: Date) => void) => {
  let limit = Number.POSITIVE_INFINITY;
  let remaining = Number.POSITIVE_INFINITY;
  let inFlight = 0;
  /** The end of the window: in seconds by the service's clock, and in milliseconds by the client's. */
  let reset = 0;
  let resetAt = 0;

  return {
    /** Waits until the quota has a request left, and takes it. */
    take: async (signal: AbortSignal | undefined): Promise<void> => {
      while (remaining <= 0 && now() < resetAt) {
        onRateLimit(new Date(resetAt));
        await sleep(resetAt - now(), signal);
      }
      if (now() >= resetAt) {
        // A new window; its first response corrects this.
        remaining = limit;
        resetAt = now() + WINDOW_MS;
      }
      remaining -= 1;
      inFlight += 1;
    },
    /** Reports the end of a request, with the headers of its response if there is one. */
    release: (headers?: Headers): void => {
      inFlight -= 1;
      // Uses only differences within one clock, because the two clocks may differ.
      const serverNow = Date.parse(headers?.get('Date') ?? '') || now();
      const [newLimit, left, announcedReset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
        Number(headers?.get(`X-RateLimit-${name}`) ?? Number.NaN),
      ) as [number, number, number];
      const newReset = Math.min(announcedReset, Math.floor((serverNow + WINDOW_MS) / 1_000));
      // Ignores responses without such headers, to unauthenticated requests (limit 0) and of earlier windows.
      if (!(newLimit > 0) || !(newReset >= reset) || Number.isNaN(left)) return;
      remaining = newReset === reset ? Math.min(remaining, left) : left - inFlight;
      limit = newLimit;
      reset = newReset;
      resetAt = now() + Math.max(0, reset * 1_000 - serverNow);
    },
  };
};

/** Clock, chance and waiting: replaced in tests only. */
export interface Timing {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 to 1, without 1. */
  readonly random: () => number;
  /** Waits; rejects with the signal's reason as soon as it is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

export const realTiming: Timing = {
  now: Date.now,
  random: Math.random,
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, milliseconds);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    }),
};

/** Longest backoff of the first repetition; it doubles with each further one. */
const BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 20_000;

/** Exponential backoff with full jitter, so that clients that failed together do not come back together. */
export const backoffMs = (attempt: number, { random }: Timing): number =>
  random() * Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (attempt - 1));

/** Clock, random numbers and delays. Only tests replace them. */
export interface Timing {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** At least 0 and less than 1. */
  readonly random: () => number;
  /** Waits; rejects with the signal's reason as soon as it is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

export const realTiming: Timing = {
  now: Date.now,
  random: Math.random,
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      // Many calls may wait with one signal, and Node 20 warns of more than ten listeners of a signal.
      const own = signal && AbortSignal.any([signal]);
      const abort = () => {
        clearTimeout(timer);
        reject(own?.reason);
      };
      const timer = setTimeout(() => {
        own?.removeEventListener('abort', abort);
        resolve();
      }, milliseconds);
      if (own?.aborted) abort();
      else own?.addEventListener('abort', abort, { once: true });
    }),
};

/** Maximum delay before the first retry, in milliseconds. It doubles with each further retry. */
const BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 20_000;

/** Milliseconds of exponential backoff with full jitter. */
export const backoffMs = (attempt: number, { random }: Timing): number =>
  random() * Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (attempt - 1));

/** The response was not ready in time, which is answered with 500. `cause` is the error that caused the delay. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';

  constructor(options?: ErrorOptions) {
    super('the deadline of the response has passed', options);
  }
}

export interface Deadline {
  readonly remainingMs: () => number;
  /**
   * The work's result, or `DeadlineExceeded` when it comes too late. Does not cancel the work: the SDK may retry for a
   * few seconds more.
   */
  readonly within: <T>(work: Promise<T>) => Promise<T>;
  /** Waits. @throws DeadlineExceeded at once when the wait would end after the deadline */
  readonly pause: (milliseconds: number) => Promise<void>;
}

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

export const deadlineIn = (milliseconds: number): Deadline => {
  const end = performance.now() + milliseconds;
  const remainingMs = () => Math.max(0, end - performance.now());
  return {
    remainingMs,
    within: async (work) => {
      let timer: NodeJS.Timeout | undefined;
      const expiry = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new DeadlineExceeded()), remainingMs());
      });
      try {
        return await Promise.race([work, expiry]);
      } finally {
        clearTimeout(timer);
      }
    },
    pause: async (milliseconds) => {
      if (milliseconds >= remainingMs()) throw new DeadlineExceeded();
      await sleep(milliseconds);
    },
  };
};

const READ_MARGIN_MS = 100;

/** A deadline for reads that is a little earlier, so that the response can still be sent. */
export const readingDeadline = ({ remainingMs }: Deadline): Deadline => deadlineIn(remainingMs() - READ_MARGIN_MS);

/** Exponential back-off with full jitter, in milliseconds: `attempt` counts from 0. */
export const backoffMs = (attempt: number, longestMs = 1_000): number =>
  Math.random() * Math.min(longestMs, 25 * 2 ** attempt);

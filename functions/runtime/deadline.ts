/** The answer did not come together in time. Answered as an internal error: the caller may retry. Its cause is what delayed it. */
export class DeadlineExceeded extends Error {
  constructor(options?: ErrorOptions) {
    super('the deadline for an answer has passed', options);
    this.name = 'DeadlineExceeded';
  }
}

/** Kept back from the function's time so that the answer still leaves before the platform cuts in. */
const ANSWER_MARGIN_MS = 1_000;
/** Without a platform clock (tests, scripts), what a function has. */
const DEFAULT_TIME_MS = 10_000;

/** The moment by which one request must be answered, and how to stay inside it. */
export interface Deadline {
  readonly remainingMs: () => number;
  /**
   * The work's result, or `DeadlineExceeded` when it comes too late. The work itself goes on to its own limits: a request
   * to DynamoDB may be sent again for a few seconds (`refuseLateAttempts`).
   */
  readonly within: <T>(work: Promise<T>) => Promise<T>;
  /** Waits, but never past the deadline; throws `DeadlineExceeded` if the wait would not end in time. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** A deadline `milliseconds` from now. */
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

/** The deadline of a function, from the time that the platform says it has left. */
export const deadlineOf = (context: { getRemainingTimeInMillis?: () => number } | undefined): Deadline =>
  deadlineIn(Math.max(0, (context?.getRemainingTimeInMillis?.() ?? DEFAULT_TIME_MS) - ANSWER_MARGIN_MS));

/** Exponential back-off with full jitter, in milliseconds: `attempt` counts from 0. */
export const backoffMs = (attempt: number, baseMs = 25, capMs = 1_000): number =>
  Math.random() * Math.min(capMs, baseMs * 2 ** attempt);

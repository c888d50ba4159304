import { backoffMs, type Deadline, DeadlineExceeded } from '../runtime/deadline.ts';

/**
 * Retries `work` on transient errors, with full-jitter backoff. Starts no attempt after the deadline.
 * @param longestPauseMs the longest pause after an error; undefined for the usual one
 * @throws any other error at once; DeadlineExceeded, whose cause is the last transient error
 */
export const retryUntil = async <T>(
  deadline: Deadline,
  work: () => Promise<T>,
  isTransient: (error: unknown) => boolean,
  longestPauseMs?: (cause: unknown) => number | undefined,
): Promise<T> => {
  let cause: unknown;
  try {
    for (let tries = 0; deadline.remainingMs() > 0; tries += 1) {
      try {
        return await deadline.within(work());
      } catch (error) {
        if (error instanceof DeadlineExceeded || !isTransient(error)) throw error;
        cause = error;
      }
      await deadline.pause(backoffMs(tries, longestPauseMs?.(cause)));
    }
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
  }
  throw new DeadlineExceeded({ cause });
};

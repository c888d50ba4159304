import { backoffMs, type Deadline, DeadlineExceeded } from '../runtime/deadline.ts';

/**
 * Does the work until it succeeds: after a fault that passes, again with jitter, until the deadline. It is not begun once
 * that has passed, since nobody waits for its outcome then.
 * @throws a fault that does not pass, at once; DeadlineExceeded, whose cause is the last one that does
 */
export const retryUntil = async <T>(
  deadline: Deadline,
  work: () => Promise<T>,
  passes: (fault: unknown) => boolean,
): Promise<T> => {
  let cause: unknown;
  try {
    for (let tries = 0; deadline.remainingMs() > 0; tries += 1) {
      try {
        return await deadline.within(work());
      } catch (fault) {
        if (fault instanceof DeadlineExceeded || !passes(fault)) throw fault;
        cause = fault;
      }
      await deadline.pause(backoffMs(tries));
    }
  } catch (fault) {
    if (!(fault instanceof DeadlineExceeded)) throw fault;
  }
  throw new DeadlineExceeded({ cause });
};

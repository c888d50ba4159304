/** Fulfilled when all these works have ended, however they end. Without their results, which would be kept in memory. */
const ended = async (...works: readonly Promise<unknown>[]): Promise<void> => {
  await Promise.allSettled(works);
};

/**
 * Lets ordinary requests run concurrently and a transaction run alone. Granted strictly in the order of the calls, so that
 * neither mode can starve the other.
 */
export const createSharedExclusiveLock = () => {
  let exclusiveEnded = Promise.resolve();
  let allEnded = Promise.resolve();
  return {
    /** Runs the work concurrently with other shared work, never with exclusive work. */
    shared: <T>(work: () => Promise<T>): Promise<T> => {
      const result = exclusiveEnded.then(work);
      allEnded = ended(allEnded, result);
      return result;
    },
    /** Runs the work alone. */
    exclusive: <T>(work: () => Promise<T>): Promise<T> => {
      const result = allEnded.then(work);
      exclusiveEnded = ended(result);
      allEnded = exclusiveEnded;
      return result;
    },
  };
};

export type SharedExclusiveLock = ReturnType<typeof createSharedExclusiveLock>;

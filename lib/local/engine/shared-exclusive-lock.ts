/** Fulfilled when all promises are settled. Without their results, which would stay in memory. */
const ended = async (...promises: readonly Promise<unknown>[]): Promise<void> => {
  await Promise.allSettled(promises);
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
    exclusive: <T>(work: () => Promise<T>): Promise<T> => {
      const result = allEnded.then(work);
      exclusiveEnded = ended(result);
      allEnded = exclusiveEnded;
      return result;
    },
  };
};

export type SharedExclusiveLock = ReturnType<typeof createSharedExclusiveLock>;

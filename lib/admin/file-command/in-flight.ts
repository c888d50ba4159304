/**
 * Runs at most `limit` tasks concurrently. The next call of either function throws the first error, once every started task
 * has ended; no task starts after it.
 */
export const inFlight = (limit: number) => {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;

  const begin = (task: () => Promise<void>): void => {
    const work: Promise<void> = task()
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => running.delete(work));
    running.add(work);
  };

  const settled = async (): Promise<void> => {
    await Promise.all(running);
    if (failure) throw failure.error;
  };

  return {
    /** Starts a task as soon as fewer than `limit` run. @throws the first error of any task */
    run: async (task: () => Promise<void>): Promise<void> => {
      while (running.size >= limit) await Promise.race(running);
      if (failure) await settled();
      begin(task);
    },

    /** Waits for every task. @throws the first error of any task */
    settled,
  };
};

/**
 * Runs tasks side by side, at most `limit` at a time. The first fault is thrown by the next call of either function, once
 * every task that has begun is at its end, and no task begins after it.
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
    /** Begins a task as soon as there is room. @throws the first fault of any task */
    run: async (task: () => Promise<void>): Promise<void> => {
      while (running.size >= limit) await Promise.race(running);
      if (failure) await settled();
      begin(task);
    },

    /** Waits for every task. @throws the first fault of any task */
    settled,
  };
};

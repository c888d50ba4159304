type Mode = 'shared' | 'exclusive';

/**
 * Lets ordinary requests run concurrently and a transaction run alone. Granted strictly in the order of the calls, so that
 * neither mode can starve the other.
 */
export const createSharedExclusiveLock = () => {
  const queue: { mode: Mode; start: () => void }[] = [];
  let holders = 0;
  let heldExclusively = false;

  const grantNext = (): void => {
    for (let next = queue[0]; next !== undefined && !heldExclusively; next = queue[0]) {
      if (next.mode === 'exclusive' && holders > 0) return;
      queue.shift();
      holders += 1;
      heldExclusively = next.mode === 'exclusive';
      next.start();
    }
  };

  const run = async <T>(mode: Mode, work: () => Promise<T>): Promise<T> => {
    await new Promise<void>((start) => {
      queue.push({ mode, start });
      grantNext();
    });
    try {
      return await work();
    } finally {
      holders -= 1;
      heldExclusively = false;
      grantNext();
    }
  };

  return {
    /** Runs the work concurrently with other shared work, never with exclusive work. */
    shared: <T>(work: () => Promise<T>) => run('shared', work),
    /** Runs the work alone. */
    exclusive: <T>(work: () => Promise<T>) => run('exclusive', work),
  };
};

export type SharedExclusiveLock = ReturnType<typeof createSharedExclusiveLock>;

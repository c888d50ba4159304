type Access = 'shared' | 'exclusive';

/** Lets ordinary requests run side by side and a transaction run alone. */
export interface RequestGate {
  /** Runs the work together with other shared work, never beside exclusive work. */
  readonly shared: <T>(work: () => Promise<T>) => Promise<T>;
  /** Runs the work with nothing beside it. */
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A gate that admits strictly in the order of arrival, so that neither kind of work can starve the other. */
export const createRequestGate = (): RequestGate => {
  const queue: { access: Access; enter: () => void }[] = [];
  let inside = 0;
  let closed = false;

  const admitNext = (): void => {
    for (let next = queue[0]; next !== undefined && !closed; next = queue[0]) {
      if (next.access === 'exclusive' && inside > 0) return;
      queue.shift();
      inside += 1;
      closed = next.access === 'exclusive';
      next.enter();
    }
  };

  const leave = (): void => {
    inside -= 1;
    closed = false;
    admitNext();
  };

  const run = async <T>(access: Access, work: () => Promise<T>): Promise<T> => {
    await new Promise<void>((enter) => {
      queue.push({ access, enter });
      admitNext();
    });
    try {
      return await work();
    } finally {
      leave();
    }
  };

  return { shared: (work) => run('shared', work), exclusive: (work) => run('exclusive', work) };
};

/**
 * Calls `work` for each item, at most `concurrency` at a time, until `isStopped` or the first error. After that no work
 * starts, and the function that `work` is given returns true. Nothing is in flight when it returns or throws. @throws
 * the first error
 */
export const runConcurrently = async <Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  concurrency: number,
  isStopped: () => boolean,
  work: (item: Item, isStopped: () => boolean) => Promise<unknown>,
): Promise<void> => {
  const running = new Set<Promise<unknown>>();
  const errors: unknown[] = [];
  const isOver = () => errors.length > 0 || isStopped();
  try {
    for await (const item of items) {
      if (isOver()) break;
      const working = work(item, isOver)
        .catch((error: unknown) => errors.push(error))
        .finally(() => running.delete(working));
      running.add(working);
      if (running.size >= concurrency) await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
  if (errors.length > 0) throw errors[0];
};

/** The items in lists of at most so many. */
export async function* inBatches<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  size: number,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    if (batch.push(item) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

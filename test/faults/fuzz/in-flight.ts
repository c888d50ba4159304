/** Does the work for each value, `most` of them at a time, and takes no value before its turn. */
export const inFlight = async <T>(
  most: number,
  values: Iterable<T>,
  work: (value: T, nth: number) => Promise<void>,
): Promise<void> => {
  const iterator = Iterator.from(values);
  let nth = 0;
  const lane = async (): Promise<void> => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) {
      nth += 1;
      await work(next.value, nth);
    }
  };
  await Promise.all(Array.from({ length: most }, lane));
};

/** The value that a share of all values is at most: `percentile(values, 0.99)`. @throws RangeError without values */
export const percentile = (values: readonly number[], share: number): number => {
  const value = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)];
  if (value === undefined) throw new RangeError('there is no percentile of nothing');
  return value;
};

/** The value that half of all values are at most. @throws RangeError without values */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

/**
 * How far two samples lie apart, in standard deviations of what chance alone does (Mann–Whitney, normal approximation):
 * within ±1.96 for 95 of 100 pairs of samples from one source. Times are never equal, so ties need no correction.
 */
export const rankSumZ = (ours: readonly number[], others: readonly number[]): number => {
  const all = [...ours.map((value) => ({ value, mine: true })), ...others.map((value) => ({ value, mine: false }))];
  const rankSum = all
    .toSorted((a, b) => a.value - b.value)
    .reduce((sum, { mine }, index) => sum + (mine ? index + 1 : 0), 0);
  const [n, m] = [ours.length, others.length];
  return (rankSum - (n * (n + m + 1)) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
};

/** How much of a file is stored for certain. Records are known by the line that they begin on. */
export interface ResumePoint {
  /** Every record that begins before this line is stored, but for those that are open. */
  readonly line: number;
  /** Lines of records that were on their way, or could not be stored in their turn; ascending. */
  readonly open: readonly number[];
}

/** The beginning of a file. */
export const FROM_THE_START: ResumePoint = { line: 1, open: [] };

/**
 * Follows what an import stores, so that it can be said at any moment where another run could go on. Batches are stored in
 * no order: those that a throttled one lets overtake it need not be written again.
 */
export const trackResumePoint = (start: ResumePoint) => {
  const openBefore = new Set(start.open);
  const onTheWay = new Set<number>();
  let reached = 0;
  return {
    /** Whether an earlier run has stored the record that begins on this line. */
    isStored: (line: number): boolean => line < start.line && !openBefore.has(line),
    /** A record is to be stored. Lines ascend. */
    take: (line: number): void => {
      onTheWay.add(line);
      reached = line;
    },
    /** A record is stored for certain. */
    stored: (line: number): void => void onTheWay.delete(line),
    now: (): ResumePoint => {
      const notReached = start.open.filter((line) => line > reached);
      return {
        line: Math.max(start.line, reached + 1),
        open: [...onTheWay, ...notReached].sort((a, b) => a - b),
      };
    },
  };
};

export type ResumeTracker = ReturnType<typeof trackResumePoint>;

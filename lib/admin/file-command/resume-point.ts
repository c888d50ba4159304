import { CommandFailure } from '../command/outcome.ts';

/** A stopped command cannot be resumed. */
export class NotResumable extends CommandFailure {
  /** A clause for the operator. */
  readonly reason: string;

  constructor(reason: string) {
    super(`this cannot be resumed, ${reason}: leave out --resume to begin with the first row`);
    this.reason = reason;
  }
}

/** How much of a file is done. A record is identified by the line of its last row: these lines ascend. */
export interface ResumePoint {
  /** Every valid record before this line is done, except the pending ones. */
  readonly line: number;
  /** Lines of records before `line` whose write is not confirmed, ascending. */
  readonly pending: readonly number[];
  /** Hash of the lines of the valid records before `line`: changes when other rows are rejected. */
  readonly validHash: number;
}

/** The beginning of a file. */
export const FROM_THE_START: ResumePoint = { line: 1, pending: [], validHash: 0 };

/** FNV-1a (Fowler, Noll, Vo), a line at a time. */
const withLine = (hash: number, line: number): number => Math.imul(hash ^ line, 0x01000193) >>> 0;

/**
 * Tracks which records are done, and so the point at which another run could resume. Requests end in any order: one that
 * overtakes a throttled one is not sent again.
 */
export const trackResumePoint = (start: ResumePoint) => {
  const pendingBefore = new Set(start.pending);
  const pending = new Set<number>();
  let reached = 0;
  let validHash = 0;

  const isPastStart = (line: number): boolean => line >= start.line;

  const requireSame = (): void => {
    if (validHash !== start.validHash) {
      throw new NotResumable('which rows are rejected has changed since it was stopped');
    }
  };

  return {
    /**
     * Called for each valid record; lines ascend.
     * @returns whether there is something to do: false when an earlier run has done it
     * @throws NotResumable when the earlier run found other records valid
     */
    reach: (line: number): boolean => {
      if (isPastStart(line) && !isPastStart(reached)) requireSame();
      validHash = withLine(validHash, line);
      reached = line;
      if (!isPastStart(line) && !pendingBefore.has(line)) return false;
      pending.add(line);
      return true;
    },
    /** The write of a record is confirmed. */
    settled: (line: number): void => void pending.delete(line),
    /** The file is at its end. @throws NotResumable as `reach` does */
    end: (): void => {
      if (!isPastStart(reached)) requireSame();
    },
    now: (): ResumePoint => {
      const notReached = start.pending.filter((line) => line > reached);
      const lines = [...pending, ...notReached].sort((a, b) => a - b);
      return isPastStart(reached) ? { line: reached + 1, pending: lines, validHash } : { ...start, pending: lines };
    },
  };
};

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
  /**
   * Ascending, a few hundred. Not a Set: V8 makes the new tables of an old one in its old generation, where each stays until
   * the next full collection: 60 bytes a row.
   */
  const pending: number[] = [];
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
      pending.push(line);
      return true;
    },
    /** The write of a record is confirmed. */
    settled: (line: number): void => {
      const place = pending.indexOf(line);
      if (place >= 0) pending.splice(place, 1);
    },
    /** The file is at its end. @throws NotResumable as `reach` does */
    end: (): void => {
      if (!isPastStart(reached)) requireSame();
    },
    now: (): ResumePoint => {
      const lines = [...pending, ...start.pending.filter((line) => line > reached)];
      return isPastStart(reached) ? { line: reached + 1, pending: lines, validHash } : { ...start, pending: lines };
    },
  };
};

import { NotResumable } from './not-resumable.ts';

/** How much of a file is stored for certain. Records are known by the line that they begin on. */
export interface ResumePoint {
  /** Every sound record that begins before this line is stored, but for those that are open. */
  readonly line: number;
  /** Lines of records that were on their way, or could not be stored in their turn; ascending. */
  readonly open: readonly number[];
  /** 32 bits that stand for the lines of the sound records before `line`: what was refused is not stored. */
  readonly sound: number;
}

/** The beginning of a file. */
export const FROM_THE_START: ResumePoint = { line: 1, open: [], sound: 0 };

/** FNV-1a (Fowler, Noll, Vo), a line at a time. */
const withLine = (sound: number, line: number): number => Math.imul(sound ^ line, 0x01000193) >>> 0;

/**
 * Follows what an import stores, so that it can be said at any moment where another run could go on. Batches are stored in
 * no order: those that a throttled one lets overtake it need not be written again.
 */
export const trackResumePoint = (start: ResumePoint) => {
  const openBefore = new Set(start.open);
  const onTheWay = new Set<number>();
  let reached = 0;
  let sound = 0;

  const isPastStart = (line: number): boolean => line >= start.line;

  const requireSame = (): void => {
    if (sound !== start.sound) throw new NotResumable('which rows are rejected has changed since it was stopped');
  };

  return {
    /**
     * A sound record is reached; lines ascend. Whether it is to be stored, as no earlier run has done that.
     * @throws NotResumable when other records are sound than the earlier run found
     */
    take: (line: number): boolean => {
      if (isPastStart(line) && !isPastStart(reached)) requireSame();
      sound = withLine(sound, line);
      reached = line;
      if (!isPastStart(line) && !openBefore.has(line)) return false;
      onTheWay.add(line);
      return true;
    },
    /** A record is stored for certain. */
    stored: (line: number): void => void onTheWay.delete(line),
    /** The file is at its end. @throws NotResumable as `take` does */
    end: (): void => {
      if (!isPastStart(reached)) requireSame();
    },
    now: (): ResumePoint => {
      const notReached = start.open.filter((line) => line > reached);
      const open = [...onTheWay, ...notReached].sort((a, b) => a - b);
      return isPastStart(reached) ? { line: reached + 1, open, sound } : { ...start, open };
    },
  };
};

export type ResumeTracker = ReturnType<typeof trackResumePoint>;

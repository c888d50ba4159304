import { setImmediate as nextTurn } from 'node:timers/promises';
import { showProgress } from '../command/progress.ts';
import type { Row } from '../files/row.ts';
import { type FileRun, MAX_GROUP_ROWS, type Outcome, type RowGroup } from './file-command.ts';
import { recordWriter } from './record-writer.ts';
import type { StagedRows } from './staged-rows.ts';
import type { FileJob } from './staged-run.ts';
import { DamagedStaging } from './staging-file.ts';

/** Counts of one run: records by what became of them, and rows. */
export interface Counts extends Record<Outcome, number> {
  /** Rows of the file that this run or an earlier one has reached. */
  read: number;
  /** Rows of records that an earlier run has done. */
  skipped: number;
  /** Rows rejected, by an earlier run too. */
  rejected: number;
}

/** Joins rows that come in the order of their keys. */
export const rowGroups = () => {
  let key = '';
  let rows: Row[] = [];
  let firstLine = 0;
  let isPart = false;

  const release = (): RowGroup[] => {
    if (rows.length === 0) return [];
    const group = { key, rows, firstLine, isPart };
    rows = [];
    return [group];
  };

  return {
    /** Adds a row. Returns the groups of which it shows the end; a row without a key is one. */
    add: (row: Row, ownKey: string): RowGroup[] => {
      if (ownKey === '') {
        return [...release(), { key: undefined, rows: [row], firstLine: row.line, isPart: false }];
      }
      const isNew = ownKey !== key;
      if (!isNew && rows.length >= MAX_GROUP_ROWS) isPart = true;
      const ended = isNew || rows.length >= MAX_GROUP_ROWS ? release() : [];
      if (isNew) {
        key = ownKey;
        firstLine = row.line;
        isPart = false;
      }
      rows.push(row);
      return ended;
    },
    end: release,
  };
};

/**
 * Does what the command is for with every record that is staged after the confirmed position. No write is in flight when it
 * returns or throws, and what is confirmed is saved.
 * @returns whether the end of the file was reached, which it is not after Ctrl-C
 */
export const workThrough = async <Entry>(
  job: FileJob<Entry>,
  staged: StagedRows,
  counts: Counts,
  run: FileRun,
): Promise<boolean> => {
  const { command, signal } = job;
  const bar = showProgress(job, command.noun, staged.total);
  counts.rejected = staged.rejected(false);
  const writing = command.writing(run);
  const writer = recordWriter(writing, ({ line }, outcome) => {
    if (typeof outcome === 'string') counts[outcome] += 1;
    else staged.reject({ line }, [outcome.waitsFor], true);
  });

  const showCounts = (): void => bar.update(counts.read, { rows: counts.read, rejected: counts.rejected });

  const consume = (group: RowGroup): Promise<void> | undefined => {
    const { record, rejected: rejections } = command.read(group, run);
    for (const { row, reasons } of rejections) staged.reject(row, reasons);
    counts.read += group.rows.length;
    counts.rejected += rejections.length;
    // A part of a group is not confirmed before all of it: its rows are one vehicle's.
    const line = group.isPart ? group.firstLine - 1 : (group.rows.at(-1)?.line ?? 0);
    return record === undefined ? undefined : writer.put(record, { key: group.key ?? '', line });
  };

  const consumeAll = async (groups: readonly RowGroup[]): Promise<boolean> => {
    for (const group of groups) {
      if (signal.aborted) return false;
      // Most records need no waiting, and an await for each is measurable.
      const wait = consume(group);
      if (wait !== undefined) await wait;
    }
    return !signal.aborted;
  };

  const consumePages = async (): Promise<boolean> => {
    const groups = rowGroups();
    for (const page of staged.pages()) {
      if (!(await consumeAll(page.flatMap(([row, key]) => groups.add(row, key))))) return false;
      staged.save(writer.confirmed());
      showCounts();
      // Otherwise Ctrl-C would wait for the end of a file of which every row is rejected.
      await nextTurn();
    }
    if (!(await consumeAll(groups.end()))) return false;
    if (counts.read !== staged.total) throw new DamagedStaging();
    return true;
  };

  /** Another row of the file may make way for a row that waits: they are tried again until that helps none of them. */
  const retryWaiting = async (): Promise<void> => {
    for (let before = Number.POSITIVE_INFINITY; staged.rejected(true) < before; ) {
      before = staged.rejected(true);
      for (const page of staged.rejectionPages(true)) {
        for (const { row } of page) {
          const { record } = command.read({ key: undefined, rows: [row], firstLine: row.line, isPart: false }, run);
          const [outcome] = record === undefined ? [] : await writing.write([record]);
          if (typeof outcome !== 'string') continue;
          staged.release(row);
          counts[outcome] += 1;
        }
      }
    }
    staged.rejectWaiting();
  };

  try {
    const isAtEnd = await consumePages().finally(writer.finish);
    if (isAtEnd) await retryWaiting();
    return isAtEnd;
  } finally {
    staged.save(writer.confirmed());
    showCounts();
    bar.stop();
  }
};

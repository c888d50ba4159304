import { setImmediate as nextTurn } from 'node:timers/promises';
import { londonDate } from '../../../core/runtime/clock.ts';
import { showProgress } from '../command/progress.ts';
import { type Counts, countFormat } from './counts.ts';
import type { FileCommand, RowContext, RowGroup, Writing } from './file-command.ts';
import { namedVehicles } from './malformed-rows.ts';
import { writeBatches } from './record-writer.ts';
import type { StagedRows, StagingState } from './staged-rows.ts';
import { DamagedStaging } from './staging-database.ts';

/** A record in the file. */
interface Place {
  readonly line: number;
  readonly position: number;
  readonly key: string | undefined;
}

/** Another row of the file may make way for a row that waits: they are tried again until that helps none of them, or Ctrl-C. */
const retryWaiting = async <Entry>(
  command: FileCommand<Entry>,
  context: RowContext,
  { write }: Writing<Entry>,
  staged: StagedRows,
  counts: Counts,
): Promise<void> => {
  for (let before = Number.POSITIVE_INFINITY; staged.count('waiting') < before; ) {
    before = staged.count('waiting');
    for (const page of staged.pages('waiting')) {
      for (const { row } of page) {
        if (context.signal.aborted) return;
        const { record } = command.read({ key: undefined, rows: [row], firstLine: row.line, isPart: false }, context);
        const [outcome] = record === undefined ? [] : await write([record]);
        if (typeof outcome !== 'string') continue;
        staged.release(row);
        counts[outcome] += 1;
      }
    }
  }
};

/**
 * Imports or removes each valid record that is staged after the confirmed position. No write is in flight when it
 * returns or throws, and what is confirmed is saved.
 * @returns whether the end of the file was reached, which it is not after Ctrl-C
 */
export const workThrough = async <Entry>(
  command: FileCommand<Entry>,
  context: RowContext,
  { total, confirmed }: StagingState,
  staged: StagedRows,
  counts: Counts,
): Promise<boolean> => {
  const bar = showProgress(context, command.noun, total);
  counts.read = confirmed;
  counts.rejected = staged.count('rejected');
  counts.skipped = confirmed - counts.rejected - staged.count('waiting');
  const writing = command.writing(context);
  const named = namedVehicles(staged.db);
  const today = londonDate(context.started);
  /** The position up to which groups are read whole. */
  let whole = confirmed;
  /** The position up to which every write is confirmed. */
  let written = confirmed;

  const save = (): void => {
    staged.save(written, counts.loaded);
    bar.update(counts.read, { rows: counts.read, rejected: counts.rejected });
  };

  const consume = (group: RowGroup): Entry | undefined => {
    const { record, rejected } = named.reject(group, command.read(group, context));
    counts.read += group.rows.length;
    counts.rejected += rejected.length;
    for (const { row, reasons } of rejected) staged.reject(row.line, counts.read, reasons);
    // A part of a group is not confirmed before all of it: its rows are one vehicle's.
    if (!group.isPart) whole = counts.read;
    return record;
  };

  /** The records of the file until Ctrl-C. Not one by one: most need no waiting, and an await for each is measurable. */
  async function* batches() {
    let [entries, places]: [Entry[], Place[]] = [[], []];
    reading: for (const groups of staged.groups()) {
      for (const group of groups) {
        if (context.signal.aborted) break reading;
        const record = consume(group);
        if (record === undefined) continue;
        if (entries.length > 0 && !writing.fits([...entries, record])) {
          yield { entries, places };
          [entries, places] = [[], []];
        }
        entries.push(record);
        places.push({ line: group.firstLine, position: whole, key: group.key });
      }
      save();
      // Otherwise Ctrl-C would have no effect while every row is rejected.
      await nextTurn();
    }
    if (entries.length > 0) yield { entries, places };
  }

  const write = async ({ entries, places }: { entries: Entry[]; places: Place[] }): Promise<void> => {
    for (const [index, outcome] of (await writing.write(entries)).entries()) {
      const place = places[index];
      if (place === undefined) continue;
      const { line, position, key } = place;
      if (typeof outcome !== 'string') staged.reject(line, position, [outcome.reason], 'waiting');
      else counts[outcome] += 1;
      if (outcome === 'loaded' && key !== undefined) countFormat(counts, line, key, today);
    }
  };

  try {
    for await (const { places } of writeBatches(batches(), write, writing.requestsInFlight)) {
      written = places.at(-1)?.position ?? written;
    }
    if (context.signal.aborted) return false;
    if (counts.read !== total) throw new DamagedStaging();
    await retryWaiting(command, context, writing, staged, counts);
    if (context.signal.aborted) return false;
    staged.rejectWaiting();
    return true;
  } finally {
    save();
    bar.stop();
  }
};

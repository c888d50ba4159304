import { setImmediate as nextTurn } from 'node:timers/promises';
import { londonDate } from '../../../core/runtime/clock.ts';
import { showProgress } from '../command/progress.ts';
import { type Counts, countFormat } from './counts.ts';
import type { FileCommand, NotWritten, Outcome, RowContext, RowGroup, Writing } from './file-command.ts';
import { namedVehicles } from './malformed-rows.ts';
import type { StagedRows } from './staged-rows.ts';

/** Where a record is in the file; one that is removed because it is not there has no lines. */
interface Place {
  readonly key: string | undefined;
  readonly lines: readonly number[];
}

interface Batch<Entry> {
  readonly entries: Entry[];
  readonly places: Place[];
}

/**
 * Works on batches, so many at a time, until the run is stopped. Nothing is in flight when it returns or throws.
 * @throws the first error, after which nothing begins
 */
const inFlight = async <Entry>(
  batches: Iterable<Batch<Entry>>,
  work: (batch: Batch<Entry>, isStopped: () => boolean) => Promise<void>,
  concurrency: number,
  signal: AbortSignal,
): Promise<void> => {
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const isStopped = () => signal.aborted || errors.length > 0;
  try {
    for (const batch of batches) {
      if (isStopped()) break;
      const working = work(batch, isStopped)
        .catch((error: unknown) => void errors.push(error))
        .finally(() => running.delete(working));
      running.add(working);
      if (running.size >= concurrency) await Promise.race(running);
      // Otherwise Ctrl-C would have no effect while nothing has to be waited for.
      await nextTurn();
    }
  } finally {
    await Promise.all(running);
  }
  if (errors.length > 0) throw errors[0];
};

/** Another row of the file may make way for a row that waits: they are tried again until that helps none of them, or Ctrl-C. */
const retryWaiting = async <Entry>(
  command: FileCommand<Entry>,
  context: RowContext,
  { write }: Writing<Entry>,
  staged: StagedRows,
  counts: Counts,
): Promise<void> => {
  const isStopped = () => context.signal.aborted;
  for (let before = Number.POSITIVE_INFINITY; staged.rejected(true) < before; ) {
    before = staged.rejected(true);
    for (const page of staged.rejections(true)) {
      for (const { row } of page) {
        if (isStopped()) return;
        const { record } = command.read({ key: undefined, rows: [row], firstLine: row.line, isPart: false }, context);
        if (record === undefined) continue;
        await write([record], isStopped, (_, result) => {
          if (typeof result !== 'string') return;
          staged.release(row);
          counts[result] += 1;
        });
      }
    }
  }
};

/**
 * Imports or removes each valid record that is staged, then removes what the file lacks.
 * @returns whether the end was reached, which it is not after Ctrl-C
 */
export const workThrough = async <Entry>(
  command: FileCommand<Entry>,
  context: RowContext,
  staged: StagedRows,
  counts: Counts,
): Promise<boolean> => {
  const { signal } = context;
  const bar = showProgress(context, command.noun, staged.total());
  const writing = command.writing(context);
  const named = namedVehicles(staged.db);
  const today = londonDate(context.started);

  const reject = (lines: readonly number[], reasons: readonly string[], waits = false): void => {
    for (const line of lines) staged.reject(line, reasons, waits);
    if (!waits) counts.rejected += lines.length;
  };

  const consume = (group: RowGroup): readonly [Entry, Place] | undefined => {
    const { record, rejected } = named.reject(group, command.read(group, context));
    counts.read += group.rows.length;
    for (const { row, reasons } of rejected) reject([row.line], reasons);
    if (record === undefined) return undefined;
    const valid = group.rows.filter((row) => !rejected.some((one) => one.row.line === row.line));
    return [record, { key: group.key, lines: valid.map(({ line }) => line) }];
  };

  function* batchesOf(records: Iterable<readonly [Entry, Place] | undefined>): Generator<Batch<Entry>> {
    let batch: Batch<Entry> = { entries: [], places: [] };
    for (const record of records) {
      const isFull = record !== undefined && !writing.fits([...batch.entries, record[0]]);
      if (isFull || (record === undefined && batch.entries.length === 0)) {
        yield batch;
        batch = { entries: [], places: [] };
      }
      if (record === undefined) continue;
      batch.entries.push(record[0]);
      batch.places.push(record[1]);
    }
    yield batch;
  }

  /** The records of the file; undefined at the end of a page of rows. */
  function* recordsInFile(): Generator<readonly [Entry, Place] | undefined> {
    for (const groups of staged.groups()) {
      for (const group of groups) {
        const record = consume(group);
        if (record !== undefined) yield record;
      }
      bar.update(counts.read, { rows: counts.read, rejected: counts.rejected });
      yield undefined;
    }
  }

  function* recordsToRemove(): Generator<readonly [Entry, Place]> {
    if (command.removal === undefined) return;
    for (const key of staged.keysToRemove()) yield [command.removal(key), { key, lines: [] }];
  }

  const settle = ({ key, lines }: Place, result: Outcome | NotWritten): void => {
    if (typeof result !== 'string') {
      reject(lines, [result.reason], result.waits);
      return;
    }
    counts[result] += 1;
    if (key === undefined) return;
    if (result === 'removed' && context.dryRun) staged.addRemoved(key);
    const [line] = lines;
    if (line !== undefined && (result === 'loaded' || result === 'unchanged')) countFormat(counts, line, key, today);
  };

  const write = async ({ entries, places }: Batch<Entry>, isStopped: () => boolean): Promise<void> => {
    if (entries.length === 0) return;
    await writing.write(entries, isStopped, (index, result) => {
      const place = places[index];
      if (place) settle(place, result);
    });
  };

  try {
    for (const records of [recordsInFile(), recordsToRemove()]) {
      await inFlight(batchesOf(records), write, writing.concurrency, signal);
      if (signal.aborted) return false;
    }
    await retryWaiting(command, context, writing, staged, counts);
    if (signal.aborted) return false;
    staged.rejectWaiting();
    return true;
  } finally {
    bar.stop();
  }
};

import { setImmediate as nextTurn } from 'node:timers/promises';
import { londonDate } from '../../../core/runtime/clock.ts';
import { showProgress } from '../command/progress.ts';
import { type Counts, countFormat, type Outcome } from './counts.ts';
import type { FileCommand, RowContext } from './file-command.ts';
import { mentionedVehicles } from './malformed-rows.ts';
import type { RowGroup, StagedRows } from './staged-rows.ts';
import type { NotWritten, Writing } from './writing.ts';

/** Where a record is in the file; one that is removed because it is not there has no lines. */
interface Place {
  readonly key: string | undefined;
  readonly lines: readonly number[];
  /** Whether it is removed because a complete file lacks it. */
  readonly isMissing?: boolean;
}

interface Batch<ImportRecord> {
  readonly records: ImportRecord[];
  readonly places: Place[];
}

/**
 * Works on batches, so many at a time, until the run is stopped. Nothing is in flight when it returns or throws.
 * @throws the first error, after which nothing begins
 */
const runConcurrently = async <ImportRecord>(
  batches: Iterable<Batch<ImportRecord>>,
  work: (batch: Batch<ImportRecord>, isStopped: () => boolean) => Promise<void>,
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
const retryWaiting = async <ImportRecord>(
  command: FileCommand<ImportRecord>,
  context: RowContext,
  { write }: Writing<ImportRecord>,
  staged: StagedRows,
  counts: Counts,
): Promise<void> => {
  const isStopped = () => context.signal.aborted;
  for (let before = Number.POSITIVE_INFINITY; staged.waitingCount() < before; ) {
    before = staged.waitingCount();
    for (const page of staged.waitingRows()) {
      for (const { row } of page) {
        if (isStopped()) return;
        const { record } = command.read(
          { key: undefined, rows: [row], firstLine: row.line, isTruncated: false },
          context,
        );
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
export const writeRecords = async <ImportRecord>(
  command: FileCommand<ImportRecord>,
  context: RowContext,
  staged: StagedRows,
  counts: Counts,
): Promise<boolean> => {
  const { signal } = context;
  const bar = showProgress(context, command.noun, staged.total());
  const writing = command.writing(context);
  const mentioned = mentionedVehicles(staged.db);
  const today = londonDate(context.started);

  const reject = (lines: readonly number[], reasons: readonly string[], waits = false): void => {
    for (const line of lines) staged.reject(line, reasons, waits);
    if (!waits) counts.rejected += lines.length;
  };

  const consume = (group: RowGroup): readonly [ImportRecord, Place] | undefined => {
    const { record, rejected } = mentioned.rejectIfMentioned(group, command.read(group, context));
    counts.read += group.rows.length;
    for (const { row, reasons } of rejected) reject([row.line], reasons);
    if (record === undefined) return undefined;
    const valid = group.rows.filter((row) => !rejected.some((one) => one.row.line === row.line));
    return [record, { key: group.key, lines: valid.map(({ line }) => line) }];
  };

  function* batchesOf(records: Iterable<readonly [ImportRecord, Place] | undefined>): Generator<Batch<ImportRecord>> {
    let batch: Batch<ImportRecord> = { records: [], places: [] };
    for (const record of records) {
      if (record === undefined) {
        // An empty batch at the end of a page lets Ctrl-C be noticed while every row is rejected.
        if (batch.records.length === 0) yield batch;
        continue;
      }
      batch.records.push(record[0]);
      if (!writing.fits(batch.records)) {
        batch.records.pop();
        yield batch;
        batch = { records: [record[0]], places: [] };
      }
      batch.places.push(record[1]);
    }
    yield batch;
  }

  /** The records of the file; undefined at the end of a page of rows. */
  function* recordsInFile(): Generator<readonly [ImportRecord, Place] | undefined> {
    for (const groups of staged.groups()) {
      for (const group of groups) {
        const record = consume(group);
        if (record !== undefined) yield record;
      }
      bar.update(counts.read, { rows: counts.read, rejected: counts.rejected });
      yield undefined;
    }
  }

  function* recordsToRemove(): Generator<readonly [ImportRecord, Place]> {
    if (command.removal === undefined) return;
    for (const { key, isErased } of staged.keysToRemove())
      yield [command.removal(key, isErased), { key, lines: [], isMissing: !isErased }];
  }

  const settle = ({ key, lines, isMissing }: Place, result: Outcome | NotWritten): void => {
    if (typeof result !== 'string') {
      reject(lines, [result.reason], result.waits);
      return;
    }
    // Another command has removed it since the scan.
    if (isMissing && result === 'notThere') return;
    counts[result] += 1;
    if (key === undefined) return;
    if (result === 'removed' && context.dryRun) staged.addRemoved(key);
    const [line] = lines;
    if (line !== undefined && (result === 'loaded' || result === 'unchanged')) countFormat(counts, line, key, today);
  };

  const write = async ({ records, places }: Batch<ImportRecord>, isStopped: () => boolean): Promise<void> => {
    if (records.length === 0) return;
    await writing.write(records, isStopped, (index, result) => {
      const place = places[index];
      if (place) settle(place, result);
    });
  };

  try {
    for (const records of [recordsInFile(), recordsToRemove()]) {
      await runConcurrently(batchesOf(records), write, writing.concurrency, signal);
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

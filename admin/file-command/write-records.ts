import { setImmediate as nextTurn } from 'node:timers/promises';
import { londonDate } from '../../core/runtime/clock.ts';
import { type Counts, countFormat } from './counts.ts';
import type { ReadOptions, RecordRules, RowsWriting } from './file-kind.ts';
import { BATCH, BATCHES_IN_FLIGHT, type RecordChange, type RecordWriter } from './record-changes.ts';
import { runConcurrently } from './run-concurrently.ts';
import type { StagedRows } from './staging.ts';

/** A change, and the lines of the file that say so: none for a record that goes because the file lacks it. */
interface PlacedChange {
  readonly change: RecordChange;
  readonly lines: readonly number[];
}

/** Groups that are read before Ctrl-C is looked for, also when all of them are rejected. */
const GROUPS_A_TURN = 500;

/** The changes that the file says, then the removal of what it lacks. Rejected rows are staged. */
async function* changesOf(
  { read }: RecordRules,
  options: ReadOptions,
  staged: StagedRows,
  counts: Counts,
  onRows: () => void,
): AsyncGenerator<PlacedChange> {
  counts.rejected = staged.count('rejected');
  counts.read = counts.rejected;
  let groups = 0;
  for (const { key, rows } of staged.groups()) {
    const { change, rejected, repeated } = read(rows, key, options);
    counts.read += rows.length;
    counts.rejected += rejected.length;
    counts.repeated += repeated;
    for (const { row, reasons } of rejected) staged.reject(row.line, reasons);
    if (change !== undefined) yield { change, lines: rows.map(({ line }) => line) };
    groups += 1;
    if (groups % GROUPS_A_TURN !== 0) continue;
    onRows();
    await nextTurn();
  }
  onRows();
  for (const registration of staged.keys('missing')) yield { change: { registration }, lines: [] };
}

async function* inBatches<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    if (batch.push(item) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Writes or removes the records of all staged rows, then removes what the file lacks. */
export const writeRecords = async (
  rules: RecordRules,
  write: RecordWriter,
  options: ReadOptions,
  { staged, counts, dryRun, onRows }: RowsWriting,
  signal: AbortSignal,
): Promise<void> => {
  const today = londonDate(options.now);
  const settle = (
    { change: { registration, body }, lines }: PlacedChange,
    result: Parameters<Parameters<RecordWriter>[2]>[1],
  ): void => {
    if (typeof result !== 'string') {
      for (const line of lines) staged.reject(line, [result.reason]);
      counts.rejected += lines.length;
      return;
    }
    const [line] = lines;
    // Another command has removed or erased it since the scan.
    if (line === undefined && result !== 'removed') return;
    counts[result] += 1;
    if (dryRun && result === 'removed') staged.addRemoved(registration);
    if (result === 'notThere') staged.addNotThere(registration);
    if (body !== undefined && line !== undefined && result !== 'kept') countFormat(counts, line, registration, today);
  };
  const batches = inBatches(changesOf(rules, options, staged, counts, onRows), BATCH);
  await runConcurrently(
    batches,
    BATCHES_IN_FLIGHT,
    () => signal.aborted,
    (batch, isStopped) =>
      write(
        batch.map(({ change }) => change),
        isStopped,
        (index, result) => {
          const placed = batch[index];
          if (placed) settle(placed, result);
        },
      ),
  );
};

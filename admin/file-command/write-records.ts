import { setImmediate as nextTurn } from 'node:timers/promises';
import { type LondonDate, londonDate } from '../../core/runtime/clock.ts';
import { showProgress } from '../command/progress.ts';
import type { FileCommand, RecordWriter, RowContext, WriteRefusal } from './command-types.ts';
import { type Counts, countFormat, type RecordOutcome } from './counts.ts';
import { mentionedVehicles } from './malformed-rows.ts';
import type { RowGroup } from './row-groups.ts';
import { runConcurrently } from './run-concurrently.ts';
import type { StagedRows } from './staged-rows.ts';

/** One run of a command through the staged rows of a file. */
interface Run<ImportRecord> {
  readonly command: FileCommand<ImportRecord>;
  readonly context: RowContext;
  readonly staged: StagedRows;
  readonly counts: Counts;
  readonly writing: RecordWriter<ImportRecord>;
  readonly mentioned: ReturnType<typeof mentionedVehicles>;
  readonly today: LondonDate;
  readonly isStopped: () => boolean;
}

/** Where a record is in the file; one that is removed because it is not there has no lines. */
interface Place {
  readonly key: string | undefined;
  readonly lines: readonly number[];
  /** Whether it is removed because a complete file lacks it. */
  readonly isMissing?: boolean;
}

type PlacedRecord<ImportRecord> = readonly [record: ImportRecord, place: Place];

/** Stages the rejected rows of a group. @returns its record, if it has one */
const readGroup = <ImportRecord>(
  { command, context, staged, counts, mentioned }: Run<ImportRecord>,
  group: RowGroup,
): PlacedRecord<ImportRecord> | undefined => {
  const { record, rejected } = mentioned.rejectIfMentioned(group, command.read(group, context));
  counts.read += group.rows.length;
  counts.rejected += rejected.length;
  for (const { row, reasons } of rejected) staged.reject(row.line, reasons);
  if (record === undefined) return undefined;
  const rejectedLines = new Set(rejected.map(({ row }) => row.line));
  const lines = group.rows.map(({ line }) => line).filter((line) => !rejectedLines.has(line));
  return [record, { key: group.key, lines }];
};

/** The records of the file; undefined at the end of a page of rows. */
function* recordsInFile<ImportRecord>(run: Run<ImportRecord>, onPage: () => void) {
  for (const groups of run.staged.groups()) {
    for (const group of groups) {
      const record = readGroup(run, group);
      if (record !== undefined) yield record;
    }
    onPage();
    yield undefined;
  }
}

function* recordsToRemove<ImportRecord>({
  command: { removal },
  staged,
}: Run<ImportRecord>): Generator<PlacedRecord<ImportRecord>> {
  if (removal === undefined) return;
  for (const { key, isErased } of staged.keysToRemove()) {
    yield [removal(key, isErased), { key, lines: [], isMissing: !isErased }];
  }
}

interface Batch<ImportRecord> {
  readonly records: ImportRecord[];
  readonly places: Place[];
}

async function* splitIntoBatches<ImportRecord>(
  placed: Iterable<PlacedRecord<ImportRecord> | undefined>,
  { fits }: RecordWriter<ImportRecord>,
): AsyncGenerator<Batch<ImportRecord>> {
  let batch: Batch<ImportRecord> = { records: [], places: [] };
  for (const one of placed) {
    if (one === undefined) {
      // Lets Ctrl-C be noticed, also while every row is rejected and no batch fills.
      await nextTurn();
      if (batch.records.length === 0) yield batch;
      continue;
    }
    const [record, place] = one;
    if (!fits([...batch.records, record])) {
      yield batch;
      batch = { records: [], places: [] };
    }
    batch.records.push(record);
    batch.places.push(place);
  }
  yield batch;
}

const settle = <ImportRecord>(
  { context, staged, counts, today }: Run<ImportRecord>,
  { key, lines, isMissing }: Place,
  result: RecordOutcome | WriteRefusal,
): void => {
  if (typeof result !== 'string') {
    for (const line of lines) staged.reject(line, [result.reason], result.after);
    counts.rejected += lines.length;
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

const writeBatch = async <ImportRecord>(
  run: Run<ImportRecord>,
  { records, places }: Batch<ImportRecord>,
  isStopped: () => boolean,
): Promise<void> => {
  if (records.length === 0) return;
  await run.writing.write(records, isStopped, (index, result) => {
    const place = places[index];
    if (place) settle(run, place, result);
  });
};

/** Imports or removes each staged record, then removes what the file lacks. @returns false when Ctrl-C ended it */
export const writeRecords = async <ImportRecord>(
  command: FileCommand<ImportRecord>,
  context: RowContext,
  staged: StagedRows,
  counts: Counts,
): Promise<boolean> => {
  const bar = showProgress(context, command.noun, staged.facts.total);
  const onPage = () => bar.update(counts.read, { rows: counts.read, rejected: counts.rejected });
  const writing = command.writing(context);
  const isStopped = () => context.signal.aborted;
  const mentioned = mentionedVehicles(staged.db);
  const today = londonDate(context.started);
  const run = { command, context, staged, counts, writing, mentioned, today, isStopped };
  try {
    for (const records of [recordsInFile(run, onPage), recordsToRemove(run)]) {
      const batches = splitIntoBatches(records, writing);
      await runConcurrently(batches, writing.concurrency, isStopped, (batch, isOver) => writeBatch(run, batch, isOver));
      if (isStopped()) return false;
    }
    return true;
  } finally {
    bar.stop();
  }
};

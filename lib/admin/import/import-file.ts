import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { CommandFailure } from '../command-failure.ts';
import { requireConfirmation } from '../confirmation.ts';
import type { AdminContext } from '../context.ts';
import { asCommandFailure } from '../database-faults.ts';
import type { Deployment } from '../deployment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { csvRows } from '../rows/csv-rows.ts';
import { readLines } from '../rows/lines.ts';
import { ndjsonRows } from '../rows/ndjson-rows.ts';
import { type RejectedFile, rejectedFile } from '../rows/rejected-file.ts';
import type { Row } from '../rows/row.ts';
import { showProgress } from './progress.ts';
import type { ImportKind, ImportRun, RowTaker } from './run.ts';
import { asFileFailure, openSource, type SourceFile } from './source-file.ts';
import { summaryOf, type Tally } from './summary.ts';

/** Rough bytes of a row, to guess how many a file has. */
const BYTES_PER_ROW = 110;

interface Job {
  readonly kind: ImportKind;
  readonly source: SourceFile;
  readonly deployment: Deployment;
  readonly context: AdminContext;
}

/** @throws CommandFailure when the database or the table is not there */
const requireTable = async ({ kind, deployment }: Job): Promise<void> => {
  await deployment.db.send(new DescribeTableCommand({ TableName: deployment.tableNames[kind.table] }));
};

const runOf = ({ source, deployment, context }: Job, tally: Tally, rejected: RejectedFile): ImportRun => ({
  deployment,
  format: source.format,
  now: context.now(),
  fileChanged: source.changed,
  expectedRows: source.bytes / BYTES_PER_ROW,
  loaded: (records) => {
    tally.loaded += records;
  },
  refused: (row) => {
    tally.refused += 1;
    return rejected.add(row);
  },
});

const rowsOf = ({ kind, source }: Job, onBytes: (read: number) => void): AsyncGenerator<Row[]> => {
  const lines = readLines(source.path, onBytes);
  return source.format === 'csv' ? csvRows(lines, kind.columns) : ndjsonRows(lines);
};

/** Hands every row on until Ctrl-C is pressed; what has been handed on is stored when this resolves. */
const takeAll = async (
  rows: AsyncIterable<Row[]>,
  taker: RowTaker,
  tally: Tally,
  signal: AbortSignal,
): Promise<void> => {
  for await (const chunk of rows) {
    for (const row of chunk) {
      tally.read += 1;
      // Most rows need no waiting, and an await for each of them would be felt.
      const wait = taker.take(row);
      if (await wait) await wait;
    }
    if (signal.aborted) break;
  }
  await taker.finish();
};

const load = async (job: Job, tally: Tally, rejected: RejectedFile): Promise<void> => {
  const { kind, source, context } = job;
  const progress = showProgress(context.stderr, kind.noun, source.bytes);
  try {
    const rows = rowsOf(job, progress.read);
    await takeAll(rows, kind.open(runOf(job, tally, rejected)), tally, context.signal);
  } finally {
    progress.stop();
    await rejected.close();
  }
};

const exitCodeOf = (tally: Tally, signal: AbortSignal): ExitCode => {
  if (signal.aborted) return EXIT.interrupted;
  return tally.refused > 0 ? EXIT.someRefused : EXIT.done;
};

const asStopped = (failure: unknown, tally: Tally): unknown => {
  if (!(failure instanceof CommandFailure) || tally.loaded === 0) return failure;
  const sentence = `${failure.message}; ${tally.loaded} records were loaded before, and loading the file again is safe`;
  return new CommandFailure(sentence, { cause: failure });
};

/**
 * Loads a file: every sound record is stored, every refused row is in `FILE.rejected.ndjson` with its reasons.
 * @throws CommandFailure when nothing could be done or the database went away on the way
 */
export const importFile = async (
  kind: ImportKind,
  path: string,
  deployment: Deployment,
  context: AdminContext,
): Promise<ExitCode> => {
  const tally: Tally = { read: 0, loaded: 0, refused: 0 };
  const started = performance.now();
  await requireConfirmation(`This replaces stored ${kind.noun} by what the file holds`, { deployment, context });
  try {
    const job = { kind, source: await openSource(path), deployment, context };
    await requireTable(job);
    const rejected = await rejectedFile(path);
    await load(job, tally, rejected);
    context.stdout.write(summaryOf(kind.noun, tally, (performance.now() - started) / 1_000));
    if (tally.refused > 0) context.stderr.write(`The refused rows and why: ${rejected.path}\n`);
  } catch (error) {
    throw asStopped(asFileFailure(asCommandFailure(error, deployment), path), tally);
  }
  if (context.signal.aborted) context.stderr.write('Stopped by Ctrl-C; loading the file again is safe.\n');
  return exitCodeOf(tally, context.signal);
};

import { CommandFailure } from '../command-failure.ts';
import type { CommandRun } from '../command-run.ts';
import { requireConfirmation } from '../confirmation.ts';
import { asCommandFailure } from '../database-faults.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { csvRows } from '../rows/csv-rows.ts';
import { readLines } from '../rows/lines.ts';
import { ndjsonRows } from '../rows/ndjson-rows.ts';
import { type RejectedFile, rejectedFile } from '../rows/rejected-file.ts';
import type { Row } from '../rows/row.ts';
import { type Beginning, beginningOf } from './beginning.ts';
import { openJournal } from './journal.ts';
import { showProgress } from './progress.ts';
import { trackResumePoint } from './resume-point.ts';
import type { ImportKind, ImportRun } from './run.ts';
import { asFileFailure, openSource, type SourceFile } from './source-file.ts';
import { type Subject, subjectOf } from './subject.ts';
import { summaryOf, type Tally } from './summary.ts';
import { takeRows } from './take-rows.ts';

/** Rough bytes of a row, to guess how many a file has. */
const BYTES_PER_ROW = 110;

interface Job extends CommandRun {
  readonly kind: ImportKind;
  readonly source: SourceFile;
  readonly subject: Subject;
  readonly beginning: Beginning;
}

const runOf = ({ source, beginning, deployment }: Job, tally: Tally, rejected: RejectedFile): ImportRun => ({
  deployment,
  format: source.format,
  now: beginning.began,
  fileChanged: source.changed,
  expectedRows: source.bytes / BYTES_PER_ROW,
  progress: trackResumePoint(beginning.point),
  loaded: (records) => {
    tally.loaded += records;
  },
  skipped: (rows) => {
    tally.skipped += rows;
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

/** Rows that an earlier run has stored are read and judged again, but not written: so every row is refused anew too. */
const load = async (job: Job, tally: Tally, rejected: RejectedFile): Promise<void> => {
  const { kind, source, subject, beginning, context } = job;
  const run = runOf(job, tally, rejected);
  const facts = { subject, began: beginning.began.toISOString() };
  const journal = openJournal(source.path, facts, run.progress.now, context.stderr);
  const bar = showProgress(context.stderr, kind.noun, source.bytes);
  let isWhole = false;
  try {
    isWhole = await takeRows(rowsOf(job, bar.read), kind.open(run), tally, journal.keep, context.signal);
  } finally {
    bar.stop();
    await rejected.close();
    if (isWhole) await journal.remove();
    else if (tally.read > 0) await journal.keep();
  }
};

const exitCodeOf = (tally: Tally, signal: AbortSignal): ExitCode => {
  if (signal.aborted) return EXIT.interrupted;
  return tally.refused > 0 ? EXIT.someRefused : EXIT.done;
};

const AFTERWARDS = 'loading the file again is safe, and --resume goes on where it stopped';

const asStopped = (failure: unknown, { loaded }: Tally): unknown => {
  if (!(failure instanceof CommandFailure) || loaded === 0) return failure;
  const sentence = `${failure.message}; ${loaded} records were loaded before, ${AFTERWARDS}`;
  return new CommandFailure(sentence, { cause: failure });
};

/**
 * Loads a file: every sound record is stored, every refused row is in `FILE.rejected.ndjson` with its reasons. With
 * `resume` it goes on where an import of this file was stopped, and comes to the same end.
 * @throws CommandFailure when nothing could be done or the database went away on the way
 */
export const importFile = async (
  kind: ImportKind,
  path: string,
  resume: boolean,
  command: CommandRun,
): Promise<ExitCode> => {
  const { deployment, context } = command;
  const tally: Tally = { read: 0, skipped: 0, loaded: 0, refused: 0 };
  const started = performance.now();
  await requireConfirmation(`This replaces stored ${kind.noun} by what the file holds`, command);
  try {
    const source = await openSource(path);
    const subject = await subjectOf(kind, source, deployment);
    const beginning = await beginningOf(path, subject, resume, context);
    const rejected = await rejectedFile(path);
    await load({ ...command, kind, source, subject, beginning }, tally, rejected);
    context.stdout.write(summaryOf(kind.noun, tally, (performance.now() - started) / 1_000));
    if (tally.refused > 0) context.stderr.write(`The refused rows and why: ${rejected.path}\n`);
  } catch (error) {
    throw asStopped(asFileFailure(asCommandFailure(error, deployment), path), tally);
  }
  if (context.signal.aborted) context.stderr.write(`Stopped by Ctrl-C; ${AFTERWARDS}.\n`);
  return exitCodeOf(tally, context.signal);
};

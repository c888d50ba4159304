import { asFileFailure, CommandFailure } from '../command/outcome.ts';
import { showProgress } from '../command/progress.ts';
import { asCommandFailure } from '../deployment/database.ts';
import type { CommandRun } from '../deployment/deployment.ts';
import { csvRows } from '../files/csv-rows.ts';
import { readLines } from '../files/lines.ts';
import { ndjsonRows } from '../files/ndjson-rows.ts';
import type { RejectedFile } from '../files/rejected-file.ts';
import type { Row } from '../files/row.ts';
import { requireUnchanged, type SourceFile } from '../files/source-file.ts';
import { textRows } from '../files/text-rows.ts';
import type { FileCommand, FileRun, FileSettings, Outcome } from './file-command.ts';
import { openJournal, type ResumeState, removeAbandonedParts } from './journal.ts';
import type { RejectionReasons } from './rejection-reasons.ts';
import { NotResumable, trackResumePoint } from './resume-point.ts';
import type { RunIdentity } from './run-identity.ts';

/** Typical bytes of a row, to estimate the number of rows. */
const BYTES_PER_ROW = 110;
/** Rows between two writes of the journal: a killed run repeats at most these and the requests in flight. */
const ROWS_PER_JOURNAL = 500;

/** One file to read, and what to do with it. */
export interface FileJob extends CommandRun {
  readonly command: FileCommand;
  readonly settings: FileSettings;
  readonly source: SourceFile;
  readonly identity: RunIdentity;
  readonly resumeState: ResumeState;
}

/** Counts of one run: records by what became of them, and rows. */
export interface Counts extends Record<Outcome, number> {
  /** Rows read. */
  read: number;
  /** Rows of records that were done before this run was resumed. */
  skipped: number;
  /** Rows rejected. */
  rejected: number;
}

/** Where rejected rows go. */
export interface Rejections {
  readonly file: RejectedFile;
  readonly reasons: RejectionReasons;
}

const rowsOf = ({ command, source }: FileJob, onBytes: (read: number) => void): AsyncGenerator<Row[]> => {
  const lines = readLines(source.path, onBytes);
  if (source.format === 'csv') return csvRows(lines, command.columns);
  return source.format === 'ndjson' ? ndjsonRows(lines) : textRows(lines);
};

/** Reads the file before its rows are consumed. @throws CommandFailure when the file changes meanwhile */
async function* readAhead(job: FileJob): AsyncGenerator<Row[]> {
  const bar = showProgress(job, 'scan', job.source.bytes);
  let read = 0;
  try {
    for await (const rows of rowsOf(job, (bytes) => bar.update(bytes, { rows: read }))) {
      if (job.signal.aborted) return;
      read += rows.length;
      yield rows;
    }
  } finally {
    bar.stop();
  }
  await requireUnchanged(job.source);
}

const runOf = (
  job: FileJob,
  counts: Counts,
  { file, reasons }: Rejections,
  progress: ReturnType<typeof trackResumePoint>,
): FileRun => {
  const { command, settings, source, resumeState, deployment } = job;
  return {
    ...settings,
    db: deployment.db,
    table: deployment.tableNames[command.noun],
    readAhead: () => readAhead(job),
    format: source.format,
    now: resumeState.startedAt,
    fileChanged: source.changed,
    expectedRows: source.bytes / BYTES_PER_ROW,
    reach: (line, rows) => {
      const isReached = progress.reach(line);
      if (!isReached) counts.skipped += rows;
      return isReached;
    },
    settled: (line, outcome) => {
      progress.settled(line);
      counts[outcome] += 1;
    },
    rejected: (row) => {
      counts.rejected += 1;
      reasons.add(row);
      return file.add(row);
    },
  };
};

/** What an operator can do after a command that did not reach the end of its file. */
const nextStepOf = (canResume: boolean): string =>
  `running it again is safe${canResume ? ', and --resume continues where it stopped' : ''}`;

const withNextStep = (failure: unknown, { command }: FileJob, counts: Counts, canResume: boolean): unknown => {
  const [done] = command.outcomes;
  if (!(failure instanceof CommandFailure) || failure instanceof NotResumable || counts[done] === 0) return failure;
  const sentence = `${failure.message}; ${counts[done]} records were ${done} before, ${nextStepOf(canResume)}`;
  return new CommandFailure(sentence, { cause: failure });
};

/**
 * Consumes the rows until the end of the file or Ctrl-C. No write is in flight when it returns or throws.
 * @returns whether the end of the file was reached
 */
const consumeRows = async (
  job: FileJob,
  run: FileRun,
  counts: Counts,
  saveJournal: () => Promise<void>,
): Promise<boolean> => {
  const consumer = await job.command.open(run);
  if (job.signal.aborted) return false;
  const bar = showProgress(job, job.command.noun, job.source.bytes);
  let done = 0;
  const onBytes = (bytes: number) => {
    done = bytes;
    bar.update(done, { rows: counts.read, rejected: counts.rejected });
  };
  const consumeAll = async (): Promise<boolean> => {
    for await (const rows of rowsOf(job, onBytes)) {
      for (const row of rows) {
        if (job.signal.aborted) return false;
        if (counts.read % ROWS_PER_JOURNAL === 0) await saveJournal();
        counts.read += 1;
        // Most rows need no waiting, and an await per row is measurable.
        const wait = consumer.consume(row);
        if (wait !== undefined) await wait;
      }
    }
    await consumer.end?.();
    return true;
  };
  try {
    return await consumeAll().finally(consumer.finish);
  } finally {
    onBytes(done);
    bar.stop();
  }
};

/**
 * Consumes the rows of a file. Rows whose records an earlier run has done are read and checked again, but not written: so the
 * rejected ones are reported again. No write is in flight when it returns or throws.
 * @returns undefined at the end of the file; after Ctrl-C what the operator can do next, as a clause
 * @throws CommandFailure when the database or the disk failed on the way
 */
export const consumeFile = async (
  job: FileJob,
  counts: Counts,
  rejections: Rejections,
): Promise<{ readonly nextStep: string } | undefined> => {
  const { source, deployment } = job;
  const progress = trackResumePoint(job.resumeState.point);
  const run = runOf(job, counts, rejections, progress);
  // A folder that cannot be listed does not stop the command.
  await removeAbandonedParts(source.path, job.command.verb).catch(() => undefined);
  const journal = openJournal(job, progress.now);
  // A file whose header is invalid gets no journal.
  const saveIfBegun = async () => {
    if (counts.read > 0) await journal.save();
  };
  try {
    const isComplete = await consumeRows(job, run, counts, journal.save);
    if (isComplete) progress.end();
    else await saveIfBegun();
    await rejections.file.close();
    if (!isComplete) return { nextStep: nextStepOf(await journal.isOwn()) };
    await journal.remove();
    return undefined;
  } catch (error) {
    await saveIfBegun();
    // An error of that file is the error already, or less important than it.
    await rejections.file.close().catch(() => undefined);
    const failure = asFileFailure(asCommandFailure(error, deployment), source.path);
    throw withNextStep(failure, job, counts, await journal.isOwn());
  }
};

import { asFileFailure, CommandFailure } from '../../command/outcome.ts';
import { showProgress } from '../../command/progress.ts';
import { asCommandFailure } from '../../deployment/database.ts';
import type { CommandRun } from '../../deployment/deployment.ts';
import { csvRows } from '../../files/csv-rows.ts';
import { readLines } from '../../files/lines.ts';
import { ndjsonRows } from '../../files/ndjson-rows.ts';
import type { RejectedFile } from '../../files/rejected-file.ts';
import type { Row } from '../../files/row.ts';
import { requireUnchanged, type SourceFile } from '../../files/source-file.ts';
import type { ImportIdentity } from './import-identity.ts';
import type { DateForm, ImportKind, ImportRun } from './import-kind.ts';
import { openJournal, type ResumeState, removeAbandonedParts } from './journal.ts';
import type { RejectionReasons } from './rejection-reasons.ts';
import { NotResumable, trackResumePoint } from './resume-point.ts';

/** Typical bytes of a row, to estimate the number of rows. */
const BYTES_PER_ROW = 110;
/** Rows between two writes of the journal: a killed import repeats at most these and the batches in flight. */
const ROWS_PER_JOURNAL = 500;

/** One file to load, and its target. */
export interface ImportJob extends CommandRun {
  readonly kind: ImportKind;
  readonly dates: DateForm;
  readonly source: SourceFile;
  readonly identity: ImportIdentity;
  readonly resumeState: ResumeState;
}

/** Counts of one import. */
export interface ImportCounts {
  /** Rows read. */
  read: number;
  /** Rows of records that were stored before this import was resumed. */
  skipped: number;
  /** Records stored. */
  loaded: number;
  /** Rows rejected. */
  rejected: number;
}

/** Where rejected rows go. */
export interface Rejections {
  readonly file: RejectedFile;
  readonly reasons: RejectionReasons;
}

const rowsOf = ({ kind, source }: ImportJob, onBytes: (read: number) => void): AsyncGenerator<Row[]> => {
  const lines = readLines(source.path, onBytes);
  return source.format === 'csv' ? csvRows(lines, kind.columns) : ndjsonRows(lines);
};

/** Reads the file before it is loaded. @throws CommandFailure when the file changes meanwhile */
async function* readAhead(job: ImportJob): AsyncGenerator<Row[]> {
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

const runOf = (job: ImportJob, counts: ImportCounts, { file, reasons }: Rejections): ImportRun => {
  const { kind, source, resumeState, deployment } = job;
  return {
    db: deployment.db,
    table: deployment.tableNames[kind.noun],
    readAhead: () => readAhead(job),
    format: source.format,
    dates: job.dates,
    now: resumeState.startedAt,
    fileChanged: source.changed,
    expectedRows: source.bytes / BYTES_PER_ROW,
    progress: trackResumePoint(resumeState.point),
    loaded: (records) => {
      counts.loaded += records;
    },
    skipped: (rows) => {
      counts.skipped += rows;
    },
    rejected: (row) => {
      counts.rejected += 1;
      reasons.add(row);
      return file.add(row);
    },
  };
};

/** What an operator can do after an import that did not reach the end of its file. */
const nextStepOf = (canResume: boolean): string =>
  `loading the file again is safe${canResume ? ', and --resume continues where it stopped' : ''}`;

const withNextStep = (failure: unknown, { loaded }: ImportCounts, canResume: boolean): unknown => {
  if (!(failure instanceof CommandFailure) || failure instanceof NotResumable || loaded === 0) return failure;
  const sentence = `${failure.message}; ${loaded} records were loaded before, ${nextStepOf(canResume)}`;
  return new CommandFailure(sentence, { cause: failure });
};

/**
 * Consumes the rows until the end of the file or Ctrl-C. No write is in flight when it returns or throws.
 * @returns whether the end of the file was reached
 */
const consumeRows = async (
  job: ImportJob,
  run: ImportRun,
  counts: ImportCounts,
  saveJournal: () => Promise<void>,
): Promise<boolean> => {
  const consumer = await job.kind.open(run);
  if (job.signal.aborted) return false;
  const bar = showProgress(job, job.kind.noun, job.source.bytes);
  let done = 0;
  const onBytes = (bytes: number) => {
    done = bytes;
    bar.update(done, { rows: counts.read, rejected: counts.rejected });
  };
  const consumeAll = async (): Promise<boolean> => {
    for await (const rows of rowsOf(job, onBytes)) {
      for (const row of rows) {
        if (counts.read % ROWS_PER_JOURNAL === 0) await saveJournal();
        counts.read += 1;
        // Most rows need no waiting, and an await per row is measurable.
        const wait = consumer.consume(row);
        if (wait !== undefined) await wait;
      }
      if (job.signal.aborted) return false;
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
 * Loads the rows of a file. Rows that an earlier run has stored are read and checked again, but not written: so the rejected
 * ones are reported again. No write is in flight when it returns or throws.
 * @returns undefined at the end of the file; after Ctrl-C what the operator can do next, as a clause
 * @throws CommandFailure when the database or the disk failed on the way
 */
export const loadRows = async (
  job: ImportJob,
  counts: ImportCounts,
  rejections: Rejections,
): Promise<{ readonly nextStep: string } | undefined> => {
  const { source, deployment } = job;
  const run = runOf(job, counts, rejections);
  // A folder that cannot be listed does not stop the import.
  await removeAbandonedParts(source.path).catch(() => undefined);
  const journal = openJournal(job, run.progress.now);
  // A file whose header is invalid gets no journal.
  const saveIfBegun = async () => {
    if (counts.read > 0) await journal.save();
  };
  try {
    const isComplete = await consumeRows(job, run, counts, journal.save);
    if (isComplete) run.progress.end();
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
    throw withNextStep(failure, counts, await journal.isOwn());
  }
};

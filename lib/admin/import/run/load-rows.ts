import { CommandFailure } from '../../command/command-failure.ts';
import { asFileFailure } from '../../command/file-errors.ts';
import { showProgress } from '../../command/progress.ts';
import type { CommandRun } from '../../deployment/command-run.ts';
import { asCommandFailure } from '../../deployment/database-errors.ts';
import { csvRows } from '../../files/csv-rows.ts';
import { readLines } from '../../files/lines.ts';
import { ndjsonRows } from '../../files/ndjson-rows.ts';
import type { RejectedFile } from '../../files/rejected-file.ts';
import type { Row } from '../../files/row.ts';
import type { ImportCounts } from './import-counts.ts';
import type { ImportIdentity } from './import-identity.ts';
import type { ImportKind, ImportRun } from './import-kind.ts';
import { openJournal, removeAbandonedParts } from './journal.ts';
import { NotResumable, trackResumePoint } from './resume-point.ts';
import type { ResumeState } from './resume-state.ts';
import { requireUnchanged, type SourceFile } from './source-file.ts';

/** Typical bytes of a row, to estimate the number of rows. */
const BYTES_PER_ROW = 110;
/** Rows between two writes of the journal: a killed import repeats at most these and the batches in flight. */
const ROWS_PER_JOURNAL = 500;

/** One file to load, and its target. */
export interface ImportJob extends CommandRun {
  readonly kind: ImportKind;
  readonly source: SourceFile;
  readonly identity: ImportIdentity;
  readonly resumeState: ResumeState;
}

const rowsOf = ({ kind, source }: ImportJob, onBytes: (read: number) => void): AsyncGenerator<Row[]> => {
  const lines = readLines(source.path, onBytes);
  return source.format === 'csv' ? csvRows(lines, kind.columns) : ndjsonRows(lines);
};

/** Reads the file before it is loaded. @throws CommandFailure when the file changes meanwhile */
async function* readAhead(job: ImportJob): AsyncGenerator<Row[]> {
  const { source, context } = job;
  const bar = showProgress(context.stderr, 'scan', source.bytes);
  try {
    for await (const rows of rowsOf(job, bar.read)) {
      if (context.signal.aborted) return;
      yield rows;
    }
  } finally {
    bar.stop();
  }
  await requireUnchanged(source);
}

const runOf = (job: ImportJob, counts: ImportCounts, rejected: RejectedFile): ImportRun => {
  const { source, resumeState, deployment } = job;
  return {
    deployment,
    readAhead: () => readAhead(job),
    format: source.format,
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
      return rejected.add(row);
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
  const { kind, source, context } = job;
  const consumer = await kind.open(run);
  if (context.signal.aborted) return false;
  const bar = showProgress(context.stderr, kind.noun, source.bytes);
  const consumeAll = async (): Promise<boolean> => {
    for await (const rows of rowsOf(job, bar.read)) {
      for (const row of rows) {
        if (counts.read % ROWS_PER_JOURNAL === 0) await saveJournal();
        counts.read += 1;
        // Most rows need no waiting, and an await per row is measurable.
        const wait = consumer.consume(row);
        if (wait !== undefined) await wait;
      }
      if (context.signal.aborted) return false;
    }
    await consumer.end?.();
    return true;
  };
  try {
    return await consumeAll().finally(consumer.finish);
  } finally {
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
  rejected: RejectedFile,
): Promise<{ readonly nextStep: string } | undefined> => {
  const { source, identity, resumeState, context, deployment } = job;
  const run = runOf(job, counts, rejected);
  const facts = {
    identity,
    startedAt: resumeState.startedAt.toISOString(),
    resumedFrom: resumeState.isResumed ? resumeState.point : undefined,
  };
  // A folder that cannot be listed does not stop the import.
  await removeAbandonedParts(source.path).catch(() => undefined);
  const journal = openJournal(source.path, facts, run.progress.now, context.stderr);
  // A file whose header is invalid gets no journal.
  const saveIfBegun = async () => {
    if (counts.read > 0) await journal.save();
  };
  try {
    const isComplete = await consumeRows(job, run, counts, journal.save);
    if (isComplete) run.progress.end();
    else await saveIfBegun();
    await rejected.close();
    if (!isComplete) return { nextStep: nextStepOf(await journal.isOwn()) };
    await journal.remove();
    return undefined;
  } catch (error) {
    await saveIfBegun();
    // An error of that file is the error already, or less important than it.
    await rejected.close().catch(() => undefined);
    const failure = asFileFailure(asCommandFailure(error, deployment), source.path);
    throw withNextStep(failure, counts, await journal.isOwn());
  }
};

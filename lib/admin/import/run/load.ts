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
import type { Beginning } from './beginning.ts';
import { openJournal, removeAbandonedParts } from './journal.ts';
import { NotResumable } from './not-resumable.ts';
import { trackResumePoint } from './resume-point.ts';
import type { ImportKind, ImportRun } from './run.ts';
import { requireUnchanged, type SourceFile } from './source-file.ts';
import type { Subject } from './subject.ts';
import type { Tally } from './summary.ts';
import { takeRows } from './take-rows.ts';

/** Rough bytes of a row, to guess how many a file has. */
const BYTES_PER_ROW = 110;

/** One file to load, and into what. */
export interface Job extends CommandRun {
  readonly kind: ImportKind;
  readonly source: SourceFile;
  readonly subject: Subject;
  readonly beginning: Beginning;
}

const rowsOf = ({ kind, source }: Job, onBytes: (read: number) => void): AsyncGenerator<Row[]> => {
  const lines = readLines(source.path, onBytes);
  return source.format === 'csv' ? csvRows(lines, kind.columns) : ndjsonRows(lines);
};

/** Reads the file before it is loaded. @throws CommandFailure when somebody still writes to it */
async function* readAhead(job: Job): AsyncGenerator<Row[]> {
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

const runOf = (job: Job, tally: Tally, rejected: RejectedFile): ImportRun => {
  const { source, beginning, deployment } = job;
  return {
    deployment,
    readAhead: () => readAhead(job),
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
  };
};

/** What can be done after an import that did not come to its end. */
const afterwardsOf = (canResume: boolean): string =>
  `loading the file again is safe${canResume ? ', and --resume goes on where it stopped' : ''}`;

const asStopped = (failure: unknown, { loaded }: Tally, canResume: boolean): unknown => {
  if (!(failure instanceof CommandFailure) || failure instanceof NotResumable || loaded === 0) return failure;
  const sentence = `${failure.message}; ${loaded} records were loaded before, ${afterwardsOf(canResume)}`;
  return new CommandFailure(sentence, { cause: failure });
};

/** @returns whether the file came to its end */
const loadRows = async (job: Job, run: ImportRun, tally: Tally, keepJournal: () => Promise<void>): Promise<boolean> => {
  const { kind, source, context } = job;
  const taker = await kind.open(run);
  if (context.signal.aborted) return false;
  const bar = showProgress(context.stderr, kind.noun, source.bytes);
  return takeRows(rowsOf(job, bar.read), taker, tally, keepJournal, context.signal).finally(bar.stop);
};

/**
 * Loads the rows of a file. Those that an earlier run has stored are read and judged again, but not written: so every row
 * is rejected anew too. When it throws, nothing is on its way any more.
 * @returns undefined at the end of the file, else what can be done after Ctrl-C, as a clause
 * @throws CommandFailure when the database or the disk went away on the way
 */
export const load = async (job: Job, tally: Tally, rejected: RejectedFile): Promise<string | undefined> => {
  const { source, subject, beginning, context, deployment } = job;
  const run = runOf(job, tally, rejected);
  const facts = {
    subject,
    began: beginning.began.toISOString(),
    kept: beginning.isResumed ? beginning.point : undefined,
  };
  // A folder that cannot be listed is no reason to stop.
  await removeAbandonedParts(source.path).catch(() => undefined);
  const journal = openJournal(source.path, facts, run.progress.now, context.stderr);
  // Of a file whose first line is no header nothing is kept.
  const keepJournal = async () => {
    if (tally.read > 0) await journal.keep();
  };
  try {
    const isWhole = await loadRows(job, run, tally, journal.keep);
    if (isWhole) run.progress.end();
    else await keepJournal();
    await rejected.close();
    if (!isWhole) return afterwardsOf(await journal.isOwn());
    await journal.remove();
    return undefined;
  } catch (error) {
    await keepJournal();
    // That file's own fault is the error already, or the lesser one.
    await rejected.close().catch(() => undefined);
    throw asStopped(asFileFailure(asCommandFailure(error, deployment), source.path), tally, await journal.isOwn());
  }
};

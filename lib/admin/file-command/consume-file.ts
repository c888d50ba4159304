import { asFileFailure, CommandFailure } from '../command/outcome.ts';
import { showProgress } from '../command/progress.ts';
import { asCommandFailure } from '../deployment/database.ts';
import type { FileRun } from './file-command.ts';
import { type Counts, type FileJob, fileRun, type Rejections, rowsOf } from './file-run.ts';
import { openJournal, removeAbandonedParts } from './journal.ts';
import { NotResumable, trackResumePoint } from './resume-point.ts';

/** Rows between two writes of the journal: a killed run repeats at most these and the requests in flight. */
const ROWS_PER_JOURNAL = 500;

/** What an operator can do after a command that did not reach the end of its file. */
const nextStepOf = (canResume: boolean): string =>
  `running it again is safe${canResume ? ', and --resume continues where it stopped' : ''}`;

const withNextStep = (failure: unknown, { command }: FileJob, counts: Counts, canResume: boolean): unknown => {
  const [done] = command.outcomes;
  if (!(failure instanceof CommandFailure) || failure instanceof NotResumable || counts[done] === 0) return failure;
  const records = counts[done] === 1 ? '1 record was' : `${counts[done]} records were`;
  const sentence = `${failure.message}; ${records} ${done} before, ${nextStepOf(canResume)}`;
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
  const run = fileRun(job, counts, rejections, progress);
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

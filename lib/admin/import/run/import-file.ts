import { EXIT, type ExitCode } from '../../command/exit-codes.ts';
import { asFileFailure } from '../../command/file-errors.ts';
import type { CommandRun } from '../../deployment/command-run.ts';
import { requireConfirmation } from '../../deployment/confirmation.ts';
import { rejectedFile } from '../../files/rejected-file.ts';
import { beginningOf } from './beginning.ts';
import { load } from './load.ts';
import type { ImportKind } from './run.ts';
import { openSource, requireUnchanged } from './source-file.ts';
import { subjectOf } from './subject.ts';
import { summaryOf, type Tally } from './summary.ts';

const openJob = async (kind: ImportKind, path: string, resume: boolean, command: CommandRun) => {
  try {
    const source = await openSource(path);
    const subject = await subjectOf(kind, source, command.deployment);
    return { ...command, kind, source, subject, beginning: await beginningOf(path, subject, resume, command.context) };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};

const rowsRejected = (rows: number): string =>
  rows === 1 ? '1 row was rejected' : `${rows.toLocaleString('en-GB')} rows were rejected`;

/**
 * Loads a file: every sound record is stored, every rejected row is in `FILE.rejected.ndjson` with its reasons. With
 * `resume` it goes on where an import of this file was stopped, and comes to the same end.
 * @throws CommandFailure when nothing could be done, or the database or the disk went away on the way
 */
export const importFile = async (
  kind: ImportKind,
  path: string,
  resume: boolean,
  command: CommandRun,
): Promise<ExitCode> => {
  const { stdout, stderr } = command.context;
  const tally: Tally = { read: 0, skipped: 0, loaded: 0, refused: 0 };
  const started = performance.now();
  await requireConfirmation(`This replaces stored ${kind.noun} by what the file holds`, command);
  const job = await openJob(kind, path, resume, command);
  const rejected = await rejectedFile(path);
  const afterwards = await load(job, tally, rejected);
  stdout.write(summaryOf(kind.noun, tally, (performance.now() - started) / 1_000));
  if (tally.refused > 0) {
    stderr.write(`${rowsRejected(tally.refused)}; the reasons are in ${rejected.path}\n`);
  }
  if (afterwards === undefined) {
    await requireUnchanged(job.source);
    return tally.refused > 0 ? EXIT.someRefused : EXIT.done;
  }
  stderr.write(`Stopped by Ctrl-C; ${afterwards}.\n`);
  return EXIT.interrupted;
};

import { EXIT, type ExitCode } from '../../command/exit-codes.ts';
import { asFileFailure } from '../../command/file-errors.ts';
import type { CommandRun } from '../../deployment/command-run.ts';
import { requireConfirmation } from '../../deployment/confirmation.ts';
import { rejectedFile } from '../../files/rejected-file.ts';
import { type ImportCounts, summaryOf } from './import-counts.ts';
import { importIdentityOf } from './import-identity.ts';
import type { ImportKind } from './import-kind.ts';
import { type ImportJob, loadRows } from './load-rows.ts';
import { resumeStateOf } from './resume-state.ts';
import { openSource, requireUnchanged } from './source-file.ts';

const openJob = async (kind: ImportKind, path: string, resume: boolean, command: CommandRun): Promise<ImportJob> => {
  try {
    const source = await openSource(path);
    const identity = await importIdentityOf(kind, source, command.deployment);
    const resumeState = await resumeStateOf(path, identity, resume, command.context);
    return { ...command, kind, source, identity, resumeState };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};

const rowsRejected = (rows: number): string =>
  rows === 1 ? '1 row was rejected' : `${rows.toLocaleString('en-GB')} rows were rejected`;

/**
 * Loads a file: stores every valid record and writes every rejected row to `FILE.rejected.ndjson` with its reasons. With
 * `resume` it continues where an import of this file was stopped, with the same result in the end.
 * @throws CommandFailure when nothing could be done, or the database or the disk failed on the way
 */
export const importFile = async (
  kind: ImportKind,
  path: string,
  resume: boolean,
  command: CommandRun,
): Promise<ExitCode> => {
  const { stdout, stderr } = command.context;
  const counts: ImportCounts = { read: 0, skipped: 0, loaded: 0, rejected: 0 };
  const started = performance.now();
  await requireConfirmation(`This replaces stored ${kind.noun} with the content of the file`, command);
  const job = await openJob(kind, path, resume, command);
  const rejected = await rejectedFile(path);
  const interrupted = await loadRows(job, counts, rejected);
  stdout.write(summaryOf(kind.noun, counts, (performance.now() - started) / 1_000));
  if (counts.rejected > 0) {
    stderr.write(`${rowsRejected(counts.rejected)}; the reasons are in ${rejected.path}\n`);
  }
  if (interrupted) {
    stderr.write(`Stopped by Ctrl-C; ${interrupted.nextStep}.\n`);
    return EXIT.interrupted;
  }
  await requireUnchanged(job.source);
  return counts.rejected > 0 ? EXIT.someRejected : EXIT.done;
};

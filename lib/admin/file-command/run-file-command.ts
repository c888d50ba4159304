import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { asCommandFailure } from '../deployment/database.ts';
import { type CommandContext, requireConfirmation, tableName } from '../deployment/deployment.ts';
import { publishImport } from '../deployment/import-metrics.ts';
import { asFileFailure } from '../files/file-failure.ts';
import { writeRejected } from '../files/rejected-file.ts';
import { openSource } from '../files/source-file.ts';
import { type Counts, noCounts } from './counts.ts';
import type { FileCommand, FileContext, FileOptions, Outcome } from './file-command.ts';
import { rejectionReasons } from './rejection-reasons.ts';
import { CONTINUES, type Finished, reportOf } from './report.ts';
import { type StagingState, stagedRows } from './staged-rows.ts';
import { openStaging, type Staging, stageFile } from './staging.ts';
import { asStagingFailure, otherStagingFiles, RESTART, removeStaging } from './staging-database.ts';
import { workThrough } from './work-through.ts';

const withNextStep = (failure: unknown, done: Outcome, counts: Counts): unknown => {
  if (!(failure instanceof CommandFailure) || counts[done] === 0) return failure;
  const records = counts[done] === 1 ? '1 record was' : `${counts[done]} records were`;
  const next = failure.message.endsWith(RESTART) ? '' : `, ${CONTINUES}`;
  return new CommandFailure(`${failure.message}; ${records} ${done} before${next}`, { cause: failure });
};

/**
 * Works through staged rows, and at the end of the file writes the rejected ones: a run that continues has those of the run
 * before. @throws CommandFailure when the database or the disk failed on the way
 */
const finish = async <Entry>(
  command: FileCommand<Entry>,
  context: FileContext,
  { hash, db }: Staging,
  state: StagingState,
  counts: Counts,
): Promise<Finished> => {
  const staged = stagedRows(db, state);
  const within = { ...context, started: new Date(state.started), claims: staged.claims };
  const isAtEnd = await workThrough(command, within, state, staged, counts);
  counts.rejected = staged.count('rejected');
  const reasons = rejectionReasons();
  for (const page of staged.pages('rejected')) for (const rejection of page) reasons.add(rejection);
  const finished = { isStaged: true, isAtEnd, loaded: state.loaded + counts.loaded, reasons };
  if (!isAtEnd || counts.rejected === 0) return finished;
  const rejectedFile = await writeRejected(context.source.path, hash, state.layout, staged.pages('rejected'));
  return { ...finished, rejectedFile };
};

/** Stages a file and works through it. Its staging file is deleted unless the same command can continue. */
const stageAndFinish = async <Entry>(
  command: FileCommand<Entry>,
  context: FileContext,
  counts: Counts,
): Promise<Finished> => {
  const staging = await openStaging(command, context);
  let canContinue = staging.state !== undefined;
  try {
    for (const other of otherStagingFiles(staging.path)) {
      context.notice(
        `${other} belongs to a run with another table or other options: if that is not running, run it again, or delete the file.`,
      );
    }
    const state = staging.state ?? (await stageFile(command, context, staging));
    if (state === undefined) return { isStaged: false, isAtEnd: false, loaded: 0, reasons: rejectionReasons() };
    canContinue = true;
    const finished = await finish(command, context, staging, state, counts);
    canContinue = !finished.isAtEnd;
    return finished;
  } catch (error) {
    const failure = asCommandFailure(asStagingFailure(error, staging.path), context.deployment);
    throw withNextStep(asFileFailure(failure, context.source.path), command.outcomes[0], counts);
  } finally {
    // A staging file that cannot be continued may fill the disk.
    if (!canContinue) removeStaging(staging.path);
    staging.db.close();
  }
};

const DEFAULTS: FileOptions = { map: [], dates: 'iso', ifNewer: false, restart: false };

/**
 * Stages a file, imports or removes each valid record, and writes every rejected row to a file with its reasons. When it is
 * stopped, the same command continues it, with the same result in the end.
 * @throws CommandFailure when nothing could be done, or the database or the disk failed on the way
 */
export const runFileCommand = async <Entry>(
  command: FileCommand<Entry>,
  path: string,
  options: Partial<FileOptions>,
  context: CommandContext,
): Promise<CommandResult> => {
  const started = performance.now();
  await requireConfirmation(command.consequence, context);
  const source = await openSource(path, command.formats, options.encoding);
  const isGuessed = options.encoding === undefined && source.encoding === 'windows-1252';
  if (isGuessed) context.notice('The file is not UTF-8: it is read as Windows-1252.');
  if (source.format !== 'csv' && options.map !== undefined) {
    throw new CommandFailure('--map names columns of a CSV file');
  }
  const table = tableName(context.deployment, command.noun);
  const file = { ...context, ...DEFAULTS, ...options, source, table };
  const counts = noCounts();
  const finished = await stageAndFinish(command, file, counts);
  if (finished.isAtEnd && finished.loaded > 0) await publishImport(command.noun, finished.loaded, context);
  const seconds = (performance.now() - started) / 1_000;
  return reportOf(command, file, { ...finished, counts, seconds });
};

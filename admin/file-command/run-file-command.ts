import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { publishImport } from '../deployment/aws-requests.ts';
import { asCommandFailure } from '../deployment/database.ts';
import { type CommandContext, requireConfirmation, tableName } from '../deployment/deployment.ts';
import { asFileFailure, asStagingFailure } from '../files/file-failure.ts';
import { writeRegistrations } from '../files/output-file.ts';
import { writeRejected } from '../files/rejected-file.ts';
import { openSource } from '../files/source-file.ts';
import type { FileCommand, FileContext } from './command-types.ts';
import { compareWithStored, requireWholeFile } from './completeness.ts';
import { type Counts, noCounts } from './counts.ts';
import { DEFAULT_OPTIONS, type FileOptions } from './file-options.ts';
import { rejectionReasons } from './rejection-reasons.ts';
import { BEGINS_AGAIN, type RunOutcome, reportOf } from './report.ts';
import { ELSEWHERE, openStaging, type Staging, stageExceptions, stageFile, stagingFolder } from './staging.ts';
import { writeRecords } from './write-records.ts';

const writeRejectedRows = async ({ source }: FileContext, { staged }: Staging, counts: Counts) => {
  counts.rejected = staged.rejectedCount();
  const reasons = rejectionReasons();
  for (const page of staged.rejectedRows()) for (const rejection of page) reasons.add(rejection);
  if (counts.rejected === 0) return { reasons };
  const rejectedFile = await writeRejected(
    source.path,
    String(process.pid),
    staged.facts.layout,
    staged.rejectedRows(),
  );
  return { reasons, rejectedFile };
};

const withNextStep = async <ImportRecord>(
  failure: unknown,
  { outcomes: [done] }: FileCommand<ImportRecord>,
  context: FileContext,
  staging: Staging,
  counts: Counts,
): Promise<unknown> => {
  if (!(failure instanceof CommandFailure) || counts.read === 0) return failure;
  const records = counts[done] === 1 ? '1 record was' : `${counts[done]} records were`;
  // When the disk is full, what was staged cannot be read any more.
  const { rejectedFile } = await writeRejectedRows(context, staging, counts).catch(() => ({ rejectedFile: undefined }));
  const rejected = rejectedFile === undefined ? '' : `; rows rejected until then are in ${rejectedFile}`;
  const before = context.dryRun || counts[done] === 0 ? '' : `; ${records} ${done} before`;
  return new CommandFailure(`${failure.message}${before}${rejected}; ${BEGINS_AGAIN}`, { cause: failure });
};

const runStaged = async <ImportRecord>(
  command: FileCommand<ImportRecord>,
  context: FileContext,
  staging: Staging,
  counts: Counts,
): Promise<RunOutcome> => {
  const { source, except, complete, dryRun } = context;
  const { staged } = staging;
  const stopped = { isAtEnd: false, reasons: rejectionReasons(), damaged: 0 };
  if (except !== undefined) await stageExceptions(except, staging);
  if (!(await stageFile(command, context, staging))) return stopped;
  counts.excepted = staged.facts.excepted;
  if (complete) requireWholeFile(context, staged);
  const scanned =
    complete && command.form ? await compareWithStored(command.form(context), context, staging) : undefined;
  if (complete && scanned === undefined) return stopped;
  const { claims, movedSlugs } = staged;
  const rowContext = { ...context, started: context.now(), claims, movedSlugs, scanned };
  const isAtEnd = await writeRecords(command, rowContext, staged, counts);
  const damaged = staged.count('damaged');
  const writeKeys = (what: 'removed' | 'damaged') => writeRegistrations(source.path, what, staged.keys(what));
  return {
    isAtEnd,
    ...(await writeRejectedRows(context, staging, counts)),
    ...(dryRun && counts.removed > 0 && { removedFile: await writeKeys('removed') }),
    damaged,
    ...(damaged > 0 && { damagedFile: await writeKeys('damaged') }),
  };
};

/** Imports or removes each valid record of a file. @throws CommandFailure, which says what was done before it */
export const runFileCommand = async <ImportRecord>(
  command: FileCommand<ImportRecord>,
  path: string,
  options: Partial<FileOptions>,
  context: CommandContext,
): Promise<CommandResult> => {
  const started = performance.now();
  if (!options.dryRun) await requireConfirmation(command.consequence, context);
  const source = await openSource(path, command.formats, options.encoding);
  const isGuessed = options.encoding === undefined && source.encoding === 'windows-1252';
  if (isGuessed) context.notice('The file is not UTF-8: it is read as Windows-1252.');
  if (source.format !== 'csv' && options.map !== undefined) {
    throw new CommandFailure('--map names columns of a CSV file');
  }
  const table = tableName(context.deployment, command.noun);
  const file = { ...context, ...DEFAULT_OPTIONS, ...options, source, table };
  const counts = noCounts();
  const staging = openStaging(file);
  try {
    const finished = await runStaged(command, file, staging, counts);
    const stored = counts.loaded + counts.unchanged;
    if (finished.isAtEnd && !file.dryRun && stored > 0) await publishImport(command.noun, stored, context);
    return reportOf(command, file, finished, counts, (performance.now() - started) / 1_000);
  } catch (error) {
    const remedy = counts.read === 0 ? `nothing was changed; ${ELSEWHERE}` : ELSEWHERE;
    const failure = asCommandFailure(asStagingFailure(error, stagingFolder(file), remedy), context.deployment);
    throw await withNextStep(asFileFailure(failure, path), command, file, staging, counts);
  } finally {
    staging.db.close();
  }
};

import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { showProgress } from '../command/progress.ts';
import { publishImport } from '../deployment/aws-requests.ts';
import { asCommandFailure } from '../deployment/database.ts';
import { type CommandContext, requireConfirmation, tableName } from '../deployment/deployment.ts';
import type { ChangeOptions } from '../records/record-changes.ts';
import { compareWithStored } from './complete-file.ts';
import type { FileCommand, FileRun } from './file-command.ts';
import { DEFAULT_OPTIONS, type FileOptions } from './file-options.ts';
import { BEGINS_AGAIN, reportRun } from './report.ts';
import { asFileFailure, openSource, type SourceFile } from './source-file.ts';
import { stageFile } from './stage-file.ts';
import { asStagingFailure, openStaging } from './staging.ts';
import { writeRecords } from './write-records.ts';

const noCounts = (): FileRun['counts'] => ({
  read: 0,
  rejected: 0,
  repeated: 0,
  unknownFormat: 0,
  loaded: 0,
  unchanged: 0,
  kept: 0,
  removed: 0,
  notThere: 0,
  erased: 0,
  undone: 0,
});

/**
 * The last update of a record without one of its own: when the file was last changed, or now when that is in the
 * future.
 */
const fileTime = ({ changed }: SourceFile, now: Date): string =>
  Date.parse(changed) > now.getTime() ? now.toISOString() : changed;

const writeRows = async (
  run: FileRun,
  findScanned: ChangeOptions['findScanned'],
  context: CommandContext,
): Promise<void> => {
  const { command, source, options, staged, counts } = run;
  const bar = showProgress(context, command.noun, staged.count('rows'));
  const onRows = () => bar.update(counts.read, { rows: counts.read, rejected: counts.rejected });
  try {
    if (typeof command.rowHandling === 'function') await command.rowHandling(run, onRows, context);
    else {
      const changes = { ...options, fileTime: fileTime(source, options.now), findScanned };
      await writeRecords(run, command.rowHandling, changes, onRows, context);
    }
  } finally {
    bar.stop();
  }
};

/** Adds to an error what was done before it, and what the operator can do. */
const explain = (
  error: unknown,
  { command, source, options, counts }: FileRun,
  folder: string,
  context: CommandContext,
) => {
  const [done] = command.outcomes;
  const staging = asStagingFailure(error, folder, counts.read === 0 ? 'nothing was changed; ' : '');
  const failure = asFileFailure(asCommandFailure(staging, context.deployment), source.path);
  if (!(failure instanceof CommandFailure) || counts.read === 0) return failure;
  const records = counts[done] === 1 ? '1 record was' : `${counts[done]} records were`;
  const before = options.dryRun || counts[done] === 0 ? '' : `; ${records} ${done} before`;
  return new CommandFailure(`${failure.message}${before}; ${BEGINS_AGAIN}`, { cause: failure });
};

/**
 * Imports, removes or erases the valid records of a file: opens the file, stages its rows, compares a complete file
 * with what is stored, writes, and reports. After Ctrl-C no further step begins.
 * @param file its path, or lines of NDJSON in its place
 * @throws CommandFailure, which says what was done before
 */
export const runFile = async (
  command: FileCommand,
  file: string | readonly string[],
  given: Partial<FileOptions>,
  context: CommandContext,
): Promise<CommandResult> => {
  const { deployment, signal } = context;
  const started = performance.now();
  const allOptions = { ...DEFAULT_OPTIONS, ...given };
  if (!allOptions.dryRun) await requireConfirmation(command.consequence, context);
  const source = await openSource(file, command.formats, allOptions, context);
  // Fails before the file is read when the table is not known.
  tableName(deployment, command.noun);
  const folder = allOptions.staging ?? (source.lines ? tmpdir() : dirname(source.path));
  const staged = openStaging(folder);
  const options = { ...allOptions, format: source.format, now: context.now() };
  const run: FileRun = { command, source, options, staged, counts: noCounts() };
  try {
    await stageFile(run, context);
    const target = options.complete && typeof command.rowHandling === 'object' ? command.rowHandling.target : undefined;
    const findScanned = target && !signal.aborted ? await compareWithStored(run, target, context) : undefined;
    if (!signal.aborted) await writeRows(run, findScanned, context);
    const isAtEnd = !signal.aborted;
    const stored = run.counts.loaded + run.counts.unchanged;
    const isLoad = command.verb === 'import' && isAtEnd && !options.dryRun && stored > 0;
    const result = await reportRun(run, isAtEnd, started);
    if (isLoad) await publishImport(command.noun, stored, context);
    return result;
  } catch (error) {
    throw explain(error, run, folder, context);
  } finally {
    staged.db.close();
  }
};

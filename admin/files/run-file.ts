import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { londonDate } from '../../core/runtime/clock.ts';
import { hasUkFormat } from '../../core/vehicles/suggestion.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { showProgress } from '../command/progress.ts';
import { publishImport } from '../deployment/aws-requests.ts';
import { asCommandFailure } from '../deployment/database.ts';
import { type CommandContext, requireConfirmation, tableName } from '../deployment/deployment.ts';
import { type ChangeOptions, type RecordChange, recordChanges } from '../records/record-changes.ts';
import { compareWithStored } from './complete-file.ts';
import { type FileCommand, type FileRun, NO_COUNTS, type RecordRules } from './file-command.ts';
import { DEFAULT_OPTIONS, type FileOptions } from './file-options.ts';
import { BEGINS_AGAIN, reportRun } from './report.ts';
import { asFileFailure, openSource, type SourceFile } from './source-file.ts';
import { stageFile } from './stage-file.ts';
import { asStagingFailure, openStaging, withPauses } from './staging.ts';
import { listStoredVehicles } from './stored-vehicles.ts';

/** For records without a last update: when the file was changed, or now when that is in the future. */
const fileTime = ({ changed }: SourceFile, now: Date): string =>
  Date.parse(changed) > now.getTime() ? now.toISOString() : changed;

const MAX_EXAMPLES = 3;

/** The changes in the file with their lines, then the removals of what it lacks. Stages the rejected rows. */
async function* changesOf(
  { options, staged, counts }: FileRun,
  { read, isForStoredVehicles }: RecordRules,
  onRows: () => void,
): AsyncGenerator<RecordChange & { readonly lines: readonly number[] }> {
  const today = londonDate(options.now);
  counts.rejected = staged.countRejected();
  if (isForStoredVehicles) counts.otherVehicles = staged.countNotStored();
  counts.read = counts.rejected + counts.withoutValue + counts.otherVehicles;
  for await (const { key, rows } of withPauses(staged.groups(isForStoredVehicles), onRows)) {
    const { change, rejected = [], repeated = 0 } = read(rows, key, options);
    counts.read += rows.length;
    counts.rejected += rejected.length;
    counts.repeated += repeated;
    for (const { row, reasons } of rejected) staged.reject(row.line, reasons);
    if (change?.kind === 'put' && !hasUkFormat(key, today)) {
      counts.unknownFormat += 1;
      if (counts.unknownFormat <= MAX_EXAMPLES) staged.list('unknown-format', key);
    }
    if (change !== undefined) yield { ...change, lines: rows.map(({ line }) => line) };
  }
  for (const registration of staged.listed('missing')) yield { kind: 'remove', registration, lines: [] };
}

/** Writes or removes the records of all staged rows, then removes what the file lacks, until Ctrl-C. */
const writeRecords = async (
  run: FileRun,
  rules: RecordRules,
  options: ChangeOptions,
  onRows: () => void,
  context: CommandContext,
): Promise<void> => {
  const { staged, counts } = run;
  const write = recordChanges(rules.target, options, context);
  await write(changesOf(run, rules, onRows), ({ registration, lines }, result) => {
    if (typeof result !== 'string') {
      for (const line of lines) staged.reject(line, [result.reason]);
      counts.rejected += lines.length;
      return;
    }
    // Another command has removed or erased it since the scan.
    if (lines.length === 0 && result !== 'removed') return;
    counts[result] += 1;
    if (options.dryRun && result === 'removed') staged.list('removed', registration);
    if (result === 'notThere') staged.list('not-there', registration);
  });
};

const writeRows = async (run: FileRun, context: CommandContext): Promise<void> => {
  const { command, source, options, staged, counts } = run;
  const { noun, rowHandling } = command;
  const findInScan =
    options.complete && rowHandling.kind === 'records'
      ? await compareWithStored(run, rowHandling.target, context)
      : undefined;
  if (rowHandling.kind === 'records' && rowHandling.isForStoredVehicles) await listStoredVehicles(run, context);
  if (context.signal.aborted) return;
  const progress = showProgress(context, noun, staged.countRows());
  const onRows = () => progress.update(counts.read, counts.read, counts.rejected);
  const changes = { ...options, fileTime: fileTime(source, options.now), findInScan };
  try {
    await (rowHandling.kind === 'items'
      ? rowHandling.write(run, onRows, context)
      : writeRecords(run, rowHandling, changes, onRows, context));
  } finally {
    progress.stop();
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
  const { rowHandling } = command;
  tableName(deployment, rowHandling.kind === 'records' ? rowHandling.target.table : 'content');
  const folder = allOptions.staging ?? (source.lines ? tmpdir() : dirname(source.path));
  const staged = openStaging(folder);
  const options = { ...allOptions, format: source.format, now: context.now() };
  const counts = { ...NO_COUNTS };
  const run: FileRun = { command, source, options, staged, counts };
  try {
    await stageFile(run, context);
    if (!signal.aborted) await writeRows(run, context);
    const isAtEnd = !signal.aborted;
    const result = await reportRun(run, isAtEnd, started);
    // Lines about vehicles of others show as well that a source's file has come.
    const stored = counts.loaded + counts.unchanged + counts.otherVehicles;
    const isLoad = command.verb === 'import' && isAtEnd && !options.dryRun && stored > 0;
    if (isLoad && command.noun !== 'content') await publishImport(command.noun, stored, context);
    return result;
  } catch (error) {
    throw explain(error, run, folder, context);
  } finally {
    staged.db.close();
  }
};

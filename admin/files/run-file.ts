import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { londonDate } from '../../core/runtime/clock.ts';
import { hasUkFormat } from '../../core/vehicles/suggestion.ts';
import { CommandFailure, type CommandResult, FileRefused } from '../command/command-result.ts';
import { showProgress } from '../command/progress.ts';
import { asCommandFailure } from '../deployment/database.ts';
import { type CommandContext, requireConfirmation, tableName } from '../deployment/deployment.ts';
import { becameInsured, type ChangeLine, isNoLongerInsured } from '../records/change-line.ts';
import type { ChangeDecision } from '../records/decide-change.ts';
import { recordChanges } from '../records/record-changes.ts';
import { beginChanges } from './changes-file.ts';
import { compareWithStored, decideAhead, type FileChange, plannedChanges } from './complete-file.ts';
import { type FileCommand, type FileRun, isRejectedWhole, NO_COUNTS, type RecordRules } from './file-command.ts';
import { DEFAULT_OPTIONS, type FileOptions } from './file-options.ts';
import { finishLoad } from './finish-load.ts';
import { BEGINS_AGAIN, outcomeWord, reportRun } from './report.ts';
import { asFileFailure, openSource, requireFormat, type SourceFile } from './source-file.ts';
import { stageFile } from './stage-file.ts';
import { asStagingFailure, openStaging, withPauses } from './staging.ts';
import { listStoredVehicles } from './stored-vehicles.ts';

/** For records without a last update: when the file was changed, or now when that is in the future. */
const fileTime = ({ changed }: SourceFile, now: Date): string =>
  Date.parse(changed) > now.getTime() ? now.toISOString() : changed;

const MAX_EXAMPLES = 3;

/** The changes in the file with their lines. Stages the rejected rows. */
async function* changesOf(
  { options, staged, counts }: FileRun,
  { read, isForStoredVehicles }: RecordRules,
  onRows: () => void,
): AsyncGenerator<FileChange> {
  const today = londonDate(options.now);
  if (isForStoredVehicles) counts.otherVehicles = staged.keepStored();
  staged.rejectManyRows();
  counts.rejected = staged.countRejected();
  counts.read = counts.rejected + counts.withoutValue + counts.otherVehicles;
  for await (const { key, rows } of withPauses(staged.groups(), onRows)) {
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
}

/** The removals of what a complete file lacks. */
function* removalsOf({ staged }: FileRun): Generator<FileChange> {
  for (const registration of staged.listed('missing')) yield { kind: 'remove', registration, lines: [] };
}

/** Counts the outcome of a change, or rejects its rows. */
const settleIn =
  ({ staged, counts, options }: FileRun) =>
  ({ registration, lines }: FileChange, result: ChangeDecision['outcome'], changed?: ChangeLine): void => {
    if (typeof result !== 'string') {
      if (options.load) {
        // The supplier reads its rejected rows, and the reason is what others have supplied.
        counts.notLoaded += 1;
        staged.list('not-loaded', registration);
      } else {
        for (const line of lines) staged.reject(line, [result.reason]);
        counts.rejected += lines.length;
      }
      return;
    }
    // Another command has removed or erased it since the scan.
    if (lines.length === 0 && result !== 'removed') return;
    counts[result] += 1;
    if (changed && becameInsured(changed)) counts.becameInsured += 1;
    if (changed && isNoLongerInsured(changed)) counts.noLongerInsured += 1;
    if (options.dryRun && result === 'removed') staged.list('removed', registration);
    if (result === 'notThere') staged.list('not-there', registration);
    if (result === 'changedSince') staged.list('changed-since', registration);
  };

/** Begins the changes file of a load, which an erasure and a load of content do not have. */
const beginLoad = async ({ command, source, options }: FileRun, context: CommandContext) => {
  const { verb, noun, rowHandling, supplier } = command;
  if (verb === 'erase' || rowHandling.kind === 'items') return undefined;
  const path = source.path === '' ? join(context.folder, `${verb}-${noun}`) : source.path;
  const table = tableName(context.deployment, rowHandling.target.table);
  return beginChanges(path, { kind: noun, table, supplier, dryRun: options.dryRun }, options.load, context);
};

type Begun = Awaited<ReturnType<typeof beginChanges>>;

/** Records that a load has come to its end. An undo is no load, and so is one that has found nothing. */
const finishRun = async ({ command, counts }: FileRun, { load }: Begun, context: CommandContext): Promise<void> => {
  const { verb, rowHandling } = command;
  // Lines about vehicles of others show as well that a source's file has come.
  const loaded = counts.loaded + counts.unchanged + counts.otherVehicles;
  const hasLoaded = verb === 'import' ? loaded > 0 : verb === 'remove' && counts.removed > 0;
  if (!hasLoaded || rowHandling.kind === 'items') return;
  const { becameInsured, noLongerInsured } = counts;
  const imported = verb === 'import' ? { loaded, becameInsured, noLongerInsured } : undefined;
  await finishLoad(load, rowHandling.target.table, imported, context);
};

/** Works through the rows, and shows how many were read. */
const withProgress = async (
  { command, staged, counts }: FileRun,
  context: CommandContext,
  work: (onRows: () => void) => Promise<void>,
): Promise<void> => {
  const progress = showProgress(context, command.noun, staged.countRows());
  await work(() => progress.update(counts.read, counts.read, counts.rejected)).finally(progress.stop);
};

/**
 * Writes or removes the records of all staged rows, then removes what a complete file lacks, until Ctrl-C.
 * @returns the load
 */
const writeRecords = async (run: FileRun, rules: RecordRules, context: CommandContext): Promise<Begun | undefined> => {
  const { source, options } = run;
  const { target, isForStoredVehicles } = rules;
  const settle = settleIn(run);
  if (options.complete) await compareWithStored(run, target, context);
  if (isForStoredVehicles) await listStoredVehicles(run, context);
  if (context.signal.aborted) return undefined;
  if (options.complete) {
    await withProgress(run, context, (onRows) =>
      decideAhead(run, target, changesOf(run, rules, onRows), settle, context),
    );
  }
  if (context.signal.aborted) return undefined;
  const load = await beginLoad(run, context);
  const changeOptions = { ...options, fileTime: fileTime(source, options.now), keepLines: load?.keepLines };
  const write = recordChanges(target, changeOptions, context);
  try {
    if (options.complete) await write(plannedChanges(run, context), settle);
    else await withProgress(run, context, (onRows) => write(changesOf(run, rules, onRows), settle));
    // When every row was rejected, for example for the form of its dates, the file is not believed in what it lacks either.
    if (!isRejectedWhole(run.counts)) await write(removalsOf(run), settle);
  } finally {
    await load?.close();
  }
  return load;
};

const writeRows = async (run: FileRun, context: CommandContext): Promise<Begun | undefined> => {
  const { rowHandling } = run.command;
  if (rowHandling.kind === 'records') return writeRecords(run, rowHandling, context);
  await withProgress(run, context, (onRows) => rowHandling.write(run, onRows, context));
  return undefined;
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
  if (!(failure instanceof CommandFailure) || failure instanceof FileRefused || counts.read === 0) return failure;
  const records = counts[done] === 1 ? '1 record was' : `${counts[done]} records were`;
  const before = options.dryRun || counts[done] === 0 ? '' : `; ${records} ${outcomeWord(done)} before`;
  return new CommandFailure(`${failure.message}${before}; ${BEGINS_AGAIN}`, { cause: failure });
};

/**
 * Imports, removes or erases the valid records of a file: opens the file, stages its rows, compares a complete file
 * with what is stored, writes, and reports. After Ctrl-C no further step begins.
 * @param file its path, or the opened file
 * @throws CommandFailure, which says what was done before
 */
export const runFile = async (
  command: FileCommand,
  file: string | SourceFile,
  given: Partial<FileOptions>,
  context: CommandContext,
): Promise<CommandResult> => {
  const { deployment, signal } = context;
  const started = performance.now();
  const allOptions = { ...DEFAULT_OPTIONS, ...given };
  if (!allOptions.dryRun) await requireConfirmation(command.consequence, context);
  const source = typeof file === 'string' ? await openSource(file, command.formats, allOptions, context) : file;
  if (source === file) requireFormat(source.format, allOptions);
  // Fails before the file is read when the table is not known.
  const { rowHandling } = command;
  tableName(deployment, rowHandling.kind === 'records' ? rowHandling.target.table : 'content');
  const folder = allOptions.staging ?? (source.path === '' ? tmpdir() : dirname(source.path));
  const staged = openStaging(folder);
  const options = { ...allOptions, now: context.now() };
  const counts = { ...NO_COUNTS };
  const run: FileRun = { command, source, options, staged, counts };
  try {
    await stageFile(run, context);
    const load = signal.aborted ? undefined : await writeRows(run, context);
    const isAtEnd = !signal.aborted;
    const result = await reportRun(run, isAtEnd, started, load?.name);
    if (load && isAtEnd && !options.dryRun) await finishRun(run, load, context);
    return result;
  } catch (error) {
    throw explain(error, run, folder, context);
  } finally {
    staged.db.close();
  }
};

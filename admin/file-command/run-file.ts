import { dirname } from 'node:path';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { showProgress } from '../command/progress.ts';
import { publishImport } from '../deployment/aws-requests.ts';
import { asCommandFailure } from '../deployment/database.ts';
import { type CommandContext, requireConfirmation, tableName } from '../deployment/deployment.ts';
import { asFileFailure, asStagingFailure } from '../files/file-failure.ts';
import { writeRegistrations } from '../files/output-file.ts';
import { writeRejected } from '../files/rejected-file.ts';
import { openSource, type SourceFile } from '../files/source-file.ts';
import { compareWithStored, requireWholeFile } from './completeness.ts';
import { type Counts, noCounts } from './counts.ts';
import type { FileKind, RecordRules } from './file-kind.ts';
import { DEFAULT_OPTIONS, type FileOptions } from './file-options.ts';
import { recordChanges } from './record-changes.ts';
import type { FindScanned } from './record-form.ts';
import { rejectionReasons } from './rejection-reasons.ts';
import { BEGINS_AGAIN, type RunOutcome, reportOf } from './report.ts';
import { stageFile } from './stage-file.ts';
import { ELSEWHERE, openStaging, type StagedRows } from './staging.ts';
import { writeRecords } from './write-records.ts';

/** @throws CommandFailure */
const open = async (kind: FileKind, path: string, options: Partial<FileOptions>, context: CommandContext) => {
  const source = await openSource(path, kind.formats, options.encoding);
  const isGuessed = options.encoding === undefined && source.encoding === 'windows-1252';
  if (isGuessed) context.notice('The file is not UTF-8: it is read as Windows-1252.');
  if (source.format === 'csv' || options.map === undefined) return source;
  throw new CommandFailure('--map names columns of a CSV file');
};

/** The last update of a record that has none of its own: the file's modification time, or now when that is ahead. */
const fileTime = ({ changed }: SourceFile, now: Date): string =>
  Date.parse(changed) > now.getTime() ? now.toISOString() : changed;

const writeRejectedRows = async ({ path }: SourceFile, staged: StagedRows) => {
  const reasons = rejectionReasons();
  for (const rejection of staged.rejectedRows()) reasons.add(rejection);
  if (staged.count('rejected') === 0) return { reasons };
  return { reasons, rejectedFile: await writeRejected(path, staged.layout(), staged.rejectedRows()) };
};

/** A failure with what was done before it, and what to do. */
const withNextStep = async (
  failure: unknown,
  { outcomes: [done] }: FileKind,
  source: SourceFile,
  dryRun: boolean,
  staged: StagedRows,
  counts: Counts,
): Promise<unknown> => {
  if (!(failure instanceof CommandFailure) || counts.read === 0) return failure;
  const records = counts[done] === 1 ? '1 record was' : `${counts[done]} records were`;
  // When the disk is full, what was staged cannot be read any more.
  const { rejectedFile } = await writeRejectedRows(source, staged).catch(() => ({ rejectedFile: undefined }));
  const rejected = rejectedFile === undefined ? '' : `; rows rejected until then are in ${rejectedFile}`;
  const before = dryRun || counts[done] === 0 ? '' : `; ${records} ${done} before`;
  return new CommandFailure(`${failure.message}${before}${rejected}; ${BEGINS_AGAIN}`, { cause: failure });
};

/** Writes the registrations in a table of the staging, if there are any. @returns the name of the file */
const writeKeys = async (
  { path }: SourceFile,
  staged: StagedRows,
  table: 'removed' | 'damaged' | 'not_there',
): Promise<string | undefined> =>
  staged.count(table) === 0
    ? undefined
    : writeRegistrations(path, table === 'not_there' ? 'not-there' : table, staged.keys(table));

/** What a run has ended with, and the files that it leaves beside its source. */
const finish = async (
  kind: FileKind,
  source: SourceFile,
  staged: StagedRows,
  counts: Counts,
  isAtEnd: boolean,
): Promise<RunOutcome> => ({
  isAtEnd,
  // Before the first record was reached, rejected rows are no result yet.
  ...(isAtEnd || counts.read > 0 ? await writeRejectedRows(source, staged) : { reasons: rejectionReasons() }),
  removedFile: await writeKeys(source, staged, 'removed'),
  damaged: staged.count('damaged'),
  damagedFile: await writeKeys(source, staged, 'damaged'),
  notThereFile: kind.verb === 'import' ? undefined : await writeKeys(source, staged, 'not_there'),
});

/** Imports, removes or erases each valid record of a file. @throws CommandFailure, which says what was done before it */
export const runFile = async (
  kind: FileKind,
  path: string,
  given: Partial<FileOptions>,
  context: CommandContext,
): Promise<CommandResult> => {
  const started = performance.now();
  const options = { ...DEFAULT_OPTIONS, ...given };
  const { complete, dryRun } = options;
  const { signal } = context;
  if (!dryRun) await requireConfirmation(kind.consequence, context);
  const source = await open(kind, path, given, context);
  const table = tableName(context.deployment, kind.noun);
  const folder = options.staging ?? dirname(path);
  const staged = openStaging(folder);
  const counts = noCounts();
  const now = context.now();
  const reading = { ...options, format: source.format, now };

  const stage = async (): Promise<boolean> => {
    const unreadableAtMost = kind.verb === 'import' ? options.unreadableAtMost : undefined;
    return stageFile({ kind, source, options, reading, unreadableAtMost }, staged, context);
  };

  const compare = async ({ form }: RecordRules): Promise<FindScanned | undefined> => {
    requireWholeFile(source, staged);
    return compareWithStored(form, { ...options, source }, staged, context);
  };

  const write = async (scanned: FindScanned | undefined): Promise<void> => {
    const bar = showProgress(context, kind.noun, staged.count('rows'));
    const onRows = () => bar.update(counts.read, { rows: counts.read, rejected: counts.rejected });
    const job = { staged, counts, table, now, dryRun, onRows };
    try {
      if (typeof kind.writing === 'function') return await kind.writing(job, context);
      const changes = recordChanges(kind.writing.form, { ...context, ...options, scanned }, fileTime(source, now));
      await writeRecords(kind.writing, changes.write, reading, job, signal);
    } finally {
      bar.stop();
    }
  };

  /** @returns false when Ctrl-C ended it */
  const runSteps = async (): Promise<boolean> => {
    if (!(await stage())) return false;
    const isCompared = complete && typeof kind.writing === 'object';
    const scanned = isCompared ? await compare(kind.writing) : undefined;
    if (isCompared && scanned === undefined) return false;
    await write(scanned);
    return !signal.aborted;
  };

  try {
    const isAtEnd = await runSteps();
    const outcome = await finish(kind, source, staged, counts, isAtEnd);
    const stored = counts.loaded + counts.unchanged;
    if (kind.verb === 'import' && isAtEnd && !dryRun && stored > 0) await publishImport(kind.noun, stored, context);
    return reportOf(kind, { path, dryRun }, outcome, counts, (performance.now() - started) / 1_000);
  } catch (error) {
    const remedy = counts.read === 0 ? `nothing was changed; ${ELSEWHERE}` : ELSEWHERE;
    const failure = asCommandFailure(asStagingFailure(error, folder, remedy), context.deployment);
    throw await withNextStep(asFileFailure(failure, path), kind, source, dryRun, staged, counts);
  } finally {
    staged.db.close();
  }
};

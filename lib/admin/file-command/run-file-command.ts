import { CommandFailure, type CommandResult, EXIT } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import { readableTable } from '../command/readable-table.ts';
import { asCommandFailure } from '../deployment/database.ts';
import { type CommandContext, requireConfirmation } from '../deployment/deployment.ts';
import { publishImport } from '../deployment/import-metrics.ts';
import { asFileFailure } from '../files/file-failure.ts';
import { writeRejected } from '../files/rejected-file.ts';
import { type FileFormat, openSource } from '../files/source-file.ts';
import type { FileCommand, FileContext, FileOptions, Outcome } from './file-command.ts';
import { type RejectionReasons, rejectionReasons } from './rejection-reasons.ts';
import { type StagingState, stagedRows } from './staged-rows.ts';
import { openStaging, type Staging, stageFile } from './staging.ts';
import { asStagingFailure, otherStagingFiles, RESTART, removeStaging } from './staging-database.ts';
import { type Counts, MAX_EXAMPLES, workThrough } from './work-through.ts';

const rateOf = ({ read, skipped }: Counts, seconds: number): number => (read - skipped) / Math.max(seconds, 1e-3);

/** The counts as a table, with the duration. */
const tableOf = (
  { noun, outcomes }: Pick<FileCommand<unknown>, 'noun' | 'outcomes'>,
  counts: Counts,
  seconds: number,
): string => {
  const labels = { loaded: `${noun} loaded`, kept: 'kept', removed: `${noun} removed`, notThere: 'not there' };
  const columns = new Map([
    ['rows read', formatNumber(counts.read)],
    ...(counts.skipped > 0 ? [['rows skipped', formatNumber(counts.skipped)] as const] : []),
    ...outcomes.map((outcome) => [labels[outcome], formatNumber(counts[outcome])] as const),
    ['rows rejected', formatNumber(counts.rejected)],
    ['seconds', seconds.toFixed(1)],
    ['rows per second', formatNumber(rateOf(counts, seconds))],
  ]);
  return readableTable([...columns.keys()], [[...columns.values()]], { align: 'right' });
};

const examplesOf = ({ unknownFormats }: Counts): string[] => unknownFormats.flatMap(({ key }) => key ?? []);

const formatNote = (counts: Counts): string => {
  const { unknownFormat: count } = counts;
  if (count === 0) return '';
  const what = count === 1 ? '1 registration has' : `${formatNumber(count)} registrations have`;
  return `${what} no known UK format, which is often a mistake: ${examplesOf(counts).join(', ')}${count > MAX_EXAMPLES ? ', …' : ''}\n`;
};

const NO_ROWS = {
  csv: ['The file has a header and no rows', 'Add rows below the header'],
  ndjson: ['The file is empty', 'Add a JSON object a line'],
  txt: ['The file is empty', 'Add a registration a line'],
} as const;

const emptyNote = (format: FileFormat, done: Outcome): string => {
  const [what, advice] = NO_ROWS[format];
  return `${what}: nothing was ${done}. ${advice}, or look for the right file.\n`;
};

const rejectionNotes = (rejected: number, reasons: RejectionReasons, file: string | undefined): string => {
  if (rejected === 0) return '';
  const rows = rejected === 1 ? '1 row was rejected' : `${formatNumber(rejected)} rows were rejected`;
  return `${reasons.toText()}${rows}${file ? `; the reasons are in ${file}` : ''}\n`;
};

const CONTINUES = 'the same command continues where it stopped';

const withNextStep = (failure: unknown, done: Outcome, counts: Counts): unknown => {
  if (!(failure instanceof CommandFailure) || counts[done] === 0) return failure;
  const records = counts[done] === 1 ? '1 record was' : `${counts[done]} records were`;
  const next = failure.message.endsWith(RESTART) ? '' : `, ${CONTINUES}`;
  return new CommandFailure(`${failure.message}; ${records} ${done} before${next}`, { cause: failure });
};

/** How far a run came, and where its rejected rows are. */
interface Finished {
  readonly isAtEnd: boolean;
  readonly rejectedFile?: string;
}

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
  reasons: RejectionReasons,
): Promise<Finished> => {
  const staged = stagedRows(db, state);
  const within = { ...context, started: new Date(state.started), claims: staged.claims };
  const isAtEnd = await workThrough(command, within, state, staged, counts);
  counts.rejected = staged.rejected(false);
  for (const page of staged.rejectionPages(false)) for (const rejection of page) reasons.add(rejection);
  if (!isAtEnd || counts.rejected === 0) return { isAtEnd };
  const { path } = context.source;
  return { isAtEnd, rejectedFile: await writeRejected(path, hash, state.layout, staged.rejectionPages(false)) };
};

const DEFAULTS: FileOptions = { map: [], dates: 'iso', ifNewer: false, restart: false };

/**
 * Stages a file, does what the command is for with every valid record, and writes every rejected row to
 * a file with its reasons. When it is stopped, the same command continues it, with the same result in the end.
 * @throws CommandFailure when nothing could be done, or the database or the disk failed on the way
 */
export const runFileCommand = async <Entry>(
  command: FileCommand<Entry>,
  path: string,
  options: Partial<FileOptions>,
  context: CommandContext,
): Promise<CommandResult> => {
  const { noun, outcomes, note } = command;
  const counts: Counts = {
    read: 0,
    skipped: 0,
    rejected: 0,
    loaded: 0,
    kept: 0,
    removed: 0,
    notThere: 0,
    unknownFormat: 0,
    unknownFormats: [],
  };
  const reasons = rejectionReasons();
  const started = performance.now();
  await requireConfirmation(command.consequence, context);
  const source = await openSource(path, command.formats);
  if (source.encoding === 'windows-1252') context.notice('The file is not UTF-8: it is read as Windows-1252.');
  if (source.format !== 'csv' && options.map !== undefined)
    throw new CommandFailure('--map names columns of a CSV file');
  const file = { ...context, ...DEFAULTS, ...options, source, table: context.deployment.tableNames[noun] };
  const staging = await openStaging(command, file);
  let { state } = staging;
  let finished: Finished = { isAtEnd: false };
  try {
    for (const other of otherStagingFiles(staging.path)) {
      context.notice(
        `${other} is left of a run with another table or other options: run that again, or delete the file.`,
      );
    }
    state ??= await stageFile(command, file, staging);
    if (state !== undefined) finished = await finish(command, file, staging, state, counts, reasons);
  } catch (error) {
    const failure = asFileFailure(asCommandFailure(asStagingFailure(error, staging.path), context.deployment), path);
    throw withNextStep(failure, outcomes[0], counts);
  } finally {
    staging.db.close();
    // An incomplete staging file cannot be continued, and may fill the disk.
    if (finished.isAtEnd || state === undefined) removeStaging(staging.path);
  }
  const { isAtEnd, rejectedFile } = finished;
  if (isAtEnd && counts.loaded > 0) await publishImport(noun, counts.loaded, context);
  const { read, skipped, rejected } = counts;
  const seconds = (performance.now() - started) / 1_000;
  const next = state === undefined ? `nothing was ${outcomes[0]}` : CONTINUES;
  const notes = [
    rejectionNotes(rejected, reasons, rejectedFile),
    isAtEnd ? '' : `Stopped by Ctrl-C; ${next}.\n`,
    isAtEnd && read === 0 ? emptyNote(source.format, outcomes[0]) : '',
    isAtEnd && read > 0 && note ? `${note}\n` : '',
  ];
  return {
    text: tableOf(command, counts, seconds) + formatNote(counts),
    notes: notes.join(''),
    data: {
      kind: noun,
      file: path,
      read,
      skipped,
      ...Object.fromEntries(outcomes.map((outcome) => [outcome, counts[outcome]])),
      rejected,
      ...(command.verb === 'import' && { unknownFormat: { count: counts.unknownFormat, first: examplesOf(counts) } }),
      seconds: Number(seconds.toFixed(3)),
      rowsPerSecond: Math.round(rateOf(counts, seconds)),
      interrupted: !isAtEnd,
      rejectedFile: rejectedFile ?? null,
      reasons: reasons.sorted(),
    },
    exitCode: !isAtEnd ? EXIT.interrupted : rejected > 0 ? EXIT.incomplete : EXIT.done,
  };
};

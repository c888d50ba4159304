import { type CommandResult, EXIT } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import { readableTable } from '../command/readable-table.ts';
import type { FileFormat } from '../files/source-file.ts';
import { type Counts, MAX_EXAMPLES } from './counts.ts';
import type { FileCommand, FileContext, Outcome } from './file-command.ts';
import type { RejectionReasons } from './rejection-reasons.ts';

/** What an operator does after a run that was stopped or failed. */
export const CONTINUES = 'the same command continues where it stopped';

/** How far a run came, and why rows were rejected. */
export interface Finished {
  /** Whether all rows are staged, so that the same command continues. */
  readonly isStaged: boolean;
  readonly isAtEnd: boolean;
  /** Records that this run and those before it have loaded. */
  readonly loaded: number;
  readonly reasons: RejectionReasons;
  readonly rejectedFile?: string;
}

/** What a run has done. */
interface FileResult extends Finished {
  readonly counts: Counts;
  readonly seconds: number;
}

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

const examplesOf = ({ unknownFormats }: Counts): string[] => unknownFormats.map(({ registration }) => registration);

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

/** The report of a run, for people and for scripts. */
export const reportOf = (
  { verb, noun, outcomes, note }: Omit<FileCommand<never>, 'read' | 'writing'>,
  { source }: FileContext,
  { counts, reasons, seconds, isStaged, isAtEnd, rejectedFile }: FileResult,
): CommandResult => {
  const { read, skipped, rejected } = counts;
  const next = isStaged ? CONTINUES : `nothing was ${outcomes[0]}`;
  const notes = [
    rejectionNotes(rejected, reasons, rejectedFile),
    isAtEnd ? '' : `Stopped by Ctrl-C; ${next}.\n`,
    isAtEnd && read === 0 ? emptyNote(source.format, outcomes[0]) : '',
    isAtEnd && read > 0 && note ? `${note}\n` : '',
  ];
  return {
    text: tableOf({ noun, outcomes }, counts, seconds) + formatNote(counts),
    notes: notes.join(''),
    data: {
      kind: noun,
      file: source.path,
      read,
      skipped,
      ...Object.fromEntries(outcomes.map((outcome) => [outcome, counts[outcome]])),
      rejected,
      ...(verb === 'import' && { unknownFormat: { count: counts.unknownFormat, first: examplesOf(counts) } }),
      seconds: Number(seconds.toFixed(3)),
      rowsPerSecond: Math.round(rateOf(counts, seconds)),
      interrupted: !isAtEnd,
      rejectedFile: rejectedFile ?? null,
      reasons: reasons.sorted(),
    },
    exitCode: !isAtEnd ? EXIT.interrupted : rejected > 0 ? EXIT.incomplete : EXIT.done,
  };
};

import { type CommandResult, EXIT } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import { readableTable } from '../command/readable-table.ts';
import { type Counts, MAX_EXAMPLES, type RecordOutcome } from './counts.ts';
import type { FileKind } from './file-kind.ts';
import type { RejectionReasons } from './rejection-reasons.ts';

/** What an operator does after a run that was stopped or failed. */
export const BEGINS_AGAIN = 'the same command begins again and finds what is written already';

/** How far a run came, and the files that it has written. */
export interface RunOutcome {
  readonly isAtEnd: boolean;
  /** Why rows were rejected. */
  readonly reasons: RejectionReasons;
  readonly rejectedFile?: string | undefined;
  /** What a dry run would have removed. */
  readonly removedFile?: string | undefined;
  /** Damaged records that a complete file lacks. */
  readonly damaged: number;
  readonly damagedFile?: string | undefined;
  /** Registrations of which a removal or erasure has found no record. */
  readonly notThereFile?: string | undefined;
}

const rateOf = ({ read }: Counts, seconds: number): number => read / Math.max(seconds, 1e-3);

const tableOf = (
  { noun, outcomes }: Pick<FileKind, 'noun' | 'outcomes'>,
  counts: Counts,
  seconds: number,
  dryRun: boolean,
): string => {
  const wouldBe = dryRun ? ' would be' : '';
  const labels = {
    loaded: `${noun}${wouldBe} loaded`,
    unchanged: 'unchanged',
    kept: 'kept',
    removed: `${noun}${wouldBe} removed`,
    notThere: 'not there',
    erased: 'erased',
  };
  const isShown = (outcome: RecordOutcome) => outcomes.indexOf(outcome) < 2 || counts[outcome] > 0;
  const columns = new Map([
    ['rows read', formatNumber(counts.read)],
    ...outcomes.filter(isShown).map((outcome) => [labels[outcome], formatNumber(counts[outcome])] as const),
    ...(counts.repeated > 0 ? [['rows repeated', formatNumber(counts.repeated)] as const] : []),
    ['rows rejected', formatNumber(counts.rejected)],
    ['seconds', seconds.toFixed(1)],
    ['rows per second', formatNumber(rateOf(counts, seconds))],
  ]);
  return readableTable([...columns.keys()], [[...columns.values()]], 'right');
};

const examplesOf = ({ unknownFormats }: Counts): string[] => unknownFormats.map(({ registration }) => registration);

const formatNote = (counts: Counts): string => {
  const { unknownFormat: count } = counts;
  if (count === 0) return '';
  const what = count === 1 ? '1 registration has' : `${formatNumber(count)} registrations have`;
  return `${what} no known UK format, which is often a mistake: ${examplesOf(counts).join(', ')}${count > MAX_EXAMPLES ? ', …' : ''}\n`;
};

const rejectionNotes = (rejected: number, { reasons, rejectedFile: file, isAtEnd }: RunOutcome): string => {
  if (rejected === 0) return '';
  const rows = rejected === 1 ? '1 row was rejected' : `${formatNumber(rejected)} rows were rejected`;
  const soFar = isAtEnd ? '' : ' until then';
  return `${reasons.toText()}${rows}${soFar}${file ? `; the reasons are in ${file}` : ''}\n`;
};

/** The report of a run, for people and for scripts. */
export const reportOf = (
  { verb, noun, outcomes, note }: Pick<FileKind, 'verb' | 'noun' | 'outcomes' | 'note'>,
  { path, dryRun }: { readonly path: string; readonly dryRun: boolean },
  outcome: RunOutcome,
  counts: Counts,
  seconds: number,
): CommandResult => {
  const { reasons, isAtEnd, rejectedFile, removedFile, damaged, damagedFile, notThereFile } = outcome;
  const { read, rejected } = counts;
  const next = read > 0 ? BEGINS_AGAIN : `nothing was ${outcomes[0]}`;
  const notes = [
    isAtEnd ? '' : `Stopped by Ctrl-C; ${next}.\n`,
    rejectionNotes(rejected, outcome),
    damagedFile && `Damaged records that the file lacks stay: ${formatNumber(damaged)}; they are in ${damagedFile}\n`,
    notThereFile && `What is not there is named in ${notThereFile}\n`,
    isAtEnd && read === 0 ? `The file has no rows: nothing was ${outcomes[0]}; look for the right file.\n` : '',
    dryRun ? `Dry run: nothing was written${removedFile ? `; what would be removed is in ${removedFile}` : ''}.\n` : '',
    isAtEnd && read > 0 && note && !dryRun ? `${note}\n` : '',
  ];
  return {
    text: tableOf({ noun, outcomes }, counts, seconds, dryRun) + formatNote(counts),
    notes: notes.join(''),
    data: {
      kind: noun,
      file: path,
      read,
      ...Object.fromEntries(outcomes.map((outcome) => [outcome, counts[outcome]])),
      repeated: counts.repeated,
      rejected,
      damaged,
      ...(verb === 'import' && { unknownFormat: { count: counts.unknownFormat, first: examplesOf(counts) } }),
      seconds: Number(seconds.toFixed(3)),
      rowsPerSecond: Math.round(rateOf(counts, seconds)),
      interrupted: !isAtEnd,
      dryRun,
      rejectedFile: rejectedFile ?? null,
      removedFile: removedFile ?? null,
      damagedFile: damagedFile ?? null,
      ...(verb !== 'import' && { notThereFile: notThereFile ?? null }),
      reasons: reasons.sorted(),
    },
    exitCode: !isAtEnd ? EXIT.interrupted : rejected + damaged > 0 ? EXIT.incomplete : EXIT.done,
  };
};

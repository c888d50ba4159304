import { asFileFailure, type CommandResult, EXIT } from '../command/outcome.ts';
import { readableTable } from '../command/readable-table.ts';
import { type CommandRun, requireConfirmation } from '../deployment/deployment.ts';
import { rejectedFile } from '../files/rejected-file.ts';
import { type FileFormat, openSource, requireUnchanged } from '../files/source-file.ts';
import { consumeFile } from './consume-file.ts';
import type { FileCommand, FileSettings, Outcome } from './file-command.ts';
import type { Counts, FileJob } from './file-run.ts';
import { resumeStateOf } from './journal.ts';
import { type RejectionReasons, rejectionReasons } from './rejection-reasons.ts';
import { runIdentityOf } from './run-identity.ts';

/** The options of a file command. */
export interface FileOptions extends FileSettings {
  readonly resume: boolean;
}

const openJob = async (
  command: FileCommand,
  path: string,
  { resume, ...settings }: FileOptions,
  run: CommandRun,
): Promise<FileJob> => {
  try {
    const source = await openSource(path, command.formats);
    const identity = await runIdentityOf(command, settings, source, run.deployment);
    const resumeState = await resumeStateOf(path, identity, resume, run);
    return { ...run, command, settings, source, identity, resumeState };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};

const number = (value: number): string => Math.round(value).toLocaleString('en-GB');

const rateOf = ({ read, skipped }: Counts, seconds: number): number => (read - skipped) / Math.max(seconds, 1e-3);

/** How an outcome is called at the head of a column. */
const labelOf = (noun: string, outcome: Outcome): string => {
  if (outcome === 'kept') return 'kept';
  return outcome === 'notThere' ? 'not there' : `${noun} ${outcome}`;
};

/** The counts as a table, with the duration. */
const tableOf = ({ noun, outcomes }: FileCommand, counts: Counts, seconds: number): string => {
  const { read, skipped, rejected } = counts;
  const columns: [string, string][] = [
    ['rows read', number(read)],
    ...(skipped > 0 ? ([['rows skipped', number(skipped)]] satisfies [string, string][]) : []),
    ...outcomes.map((outcome): [string, string] => [labelOf(noun, outcome), number(counts[outcome])]),
    ['rows rejected', number(rejected)],
    ['seconds', seconds.toFixed(1)],
    ['rows per second', number(rateOf(counts, seconds))],
  ];
  const [head, row] = [0, 1].map((index) => columns.map((column) => column[index] ?? ''));
  return readableTable(head ?? [], [row ?? []], { align: 'right' });
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

const rejectionNotes = (rejected: number, reasons: RejectionReasons, file: string): string => {
  if (rejected === 0) return '';
  const rows = rejected === 1 ? '1 row was rejected' : `${number(rejected)} rows were rejected`;
  return `${reasons.toText()}${rows}; the reasons are in ${file}\n`;
};

/**
 * Reads a file to its end: does what the command is for with every valid record, and writes every rejected row to
 * `FILE.rejected.ndjson` with its reasons. With `resume` it continues where it was stopped, with the same result in the end.
 * @throws CommandFailure when nothing could be done, or the database or the disk failed on the way
 */
export const runFileCommand = async (
  command: FileCommand,
  path: string,
  options: FileOptions,
  run: CommandRun,
): Promise<CommandResult> => {
  const { noun, outcomes, note } = command;
  const counts: Counts = { read: 0, skipped: 0, rejected: 0, loaded: 0, kept: 0, removed: 0, notThere: 0 };
  const reasons = rejectionReasons();
  const started = performance.now();
  await requireConfirmation(command.consequence, run);
  const job = await openJob(command, path, options, run);
  const file = await rejectedFile(path);
  const stopped = await consumeFile(job, counts, { file, reasons });
  const seconds = (performance.now() - started) / 1_000;
  if (stopped === undefined) await requireUnchanged(job.source);
  const { read, skipped, rejected } = counts;
  const notes = [
    rejectionNotes(rejected, reasons, file.path),
    stopped ? `Stopped by Ctrl-C; ${stopped.nextStep}.\n` : '',
    !stopped && read === 0 ? emptyNote(job.source.format, outcomes[0]) : '',
    !stopped && read > 0 && note ? `${note}\n` : '',
  ];
  return {
    text: tableOf(command, counts, seconds),
    notes: notes.join(''),
    data: {
      kind: noun,
      file: path,
      read,
      skipped,
      ...Object.fromEntries(outcomes.map((outcome) => [outcome, counts[outcome]])),
      rejected,
      seconds: Number(seconds.toFixed(3)),
      rowsPerSecond: Math.round(rateOf(counts, seconds)),
      interrupted: stopped !== undefined,
      rejectedFile: rejected > 0 ? file.path : null,
      reasons: reasons.sorted(),
    },
    exitCode: stopped ? EXIT.interrupted : rejected > 0 ? EXIT.someRejected : EXIT.done,
  };
};

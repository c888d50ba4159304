import { asFileFailure, type CommandResult, EXIT } from '../../command/outcome.ts';
import { readableTable } from '../../command/readable-table.ts';
import { type CommandRun, requireConfirmation } from '../../deployment/deployment.ts';
import { rejectedFile } from '../../files/rejected-file.ts';
import { openSource, requireUnchanged } from '../../files/source-file.ts';
import { importIdentityOf } from './import-identity.ts';
import type { DateForm, ImportKind } from './import-kind.ts';
import { resumeStateOf } from './journal.ts';
import { type ImportCounts, type ImportJob, loadRows } from './load-rows.ts';
import { type RejectionReasons, rejectionReasons } from './rejection-reasons.ts';

/** The options of `import`. */
export interface ImportOptions {
  readonly resume: boolean;
  readonly dates: DateForm;
}

const openJob = async (
  kind: ImportKind,
  path: string,
  { resume, dates }: ImportOptions,
  run: CommandRun,
): Promise<ImportJob> => {
  try {
    const source = await openSource(path);
    const identity = await importIdentityOf(kind, dates, source, run.deployment);
    const resumeState = await resumeStateOf(path, identity, resume, run);
    return { ...run, kind, dates, source, identity, resumeState };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};

const number = (value: number): string => Math.round(value).toLocaleString('en-GB');

const rateOf = ({ read, skipped }: ImportCounts, seconds: number): number => (read - skipped) / Math.max(seconds, 1e-3);

/** The counts as a table, with the duration. */
const tableOf = (noun: string, counts: ImportCounts, seconds: number): string => {
  const { read, skipped, loaded, rejected } = counts;
  const columns: [string, string][] = [
    ['rows read', number(read)],
    ...(skipped > 0 ? ([['rows skipped', number(skipped)]] satisfies [string, string][]) : []),
    [`${noun} loaded`, number(loaded)],
    ['rows rejected', number(rejected)],
    ['seconds', seconds.toFixed(1)],
    ['rows per second', number(rateOf(counts, seconds))],
  ];
  const [head, row] = [0, 1].map((index) => columns.map((column) => column[index] ?? ''));
  return readableTable(head ?? [], [row ?? []], { align: 'right' });
};

const NO_ROWS = {
  csv: 'The file has a header and no rows: nothing was loaded. Add rows below the header, or look for the right file.\n',
  ndjson: 'The file is empty: nothing was loaded. Add a JSON object a line, or look for the right file.\n',
};

const rejectionNotes = (rejected: number, reasons: RejectionReasons, file: string): string => {
  if (rejected === 0) return '';
  const rows = rejected === 1 ? '1 row was rejected' : `${number(rejected)} rows were rejected`;
  return `${reasons.toText()}${rows}; the reasons are in ${file}\n`;
};

/**
 * Loads a file: stores every valid record and writes every rejected row to `FILE.rejected.ndjson` with its reasons. With
 * `resume` it continues where an import of this file was stopped, with the same result in the end.
 * @throws CommandFailure when nothing could be done, or the database or the disk failed on the way
 */
export const importFile = async (
  kind: ImportKind,
  path: string,
  options: ImportOptions,
  run: CommandRun,
): Promise<CommandResult> => {
  const counts: ImportCounts = { read: 0, skipped: 0, loaded: 0, rejected: 0 };
  const reasons = rejectionReasons();
  const started = performance.now();
  await requireConfirmation(`This replaces stored ${kind.noun} with the content of the file`, run);
  const job = await openJob(kind, path, options, run);
  const file = await rejectedFile(path);
  const stopped = await loadRows(job, counts, { file, reasons });
  const seconds = (performance.now() - started) / 1_000;
  if (stopped === undefined) await requireUnchanged(job.source);
  const stoppedNote = stopped && `Stopped by Ctrl-C; ${stopped.nextStep}.\n`;
  const emptyNote = counts.read === 0 ? NO_ROWS[job.source.format] : '';
  return {
    text: tableOf(kind.noun, counts, seconds),
    notes: `${rejectionNotes(counts.rejected, reasons, file.path)}${stoppedNote ?? emptyNote}`,
    data: {
      kind: kind.noun,
      file: path,
      ...counts,
      seconds: Number(seconds.toFixed(3)),
      rowsPerSecond: Math.round(rateOf(counts, seconds)),
      interrupted: stopped !== undefined,
      rejectedFile: counts.rejected > 0 ? file.path : null,
      reasons: reasons.sorted(),
    },
    exitCode: stopped ? EXIT.interrupted : counts.rejected > 0 ? EXIT.someRejected : EXIT.done,
  };
};

import { showProgress } from '../command/progress.ts';
import type { CommandRun } from '../deployment/deployment.ts';
import { csvRows } from '../files/csv-rows.ts';
import { readLines } from '../files/lines.ts';
import { ndjsonRows } from '../files/ndjson-rows.ts';
import type { RejectedFile } from '../files/rejected-file.ts';
import type { Row } from '../files/row.ts';
import { requireUnchanged, type SourceFile } from '../files/source-file.ts';
import { textRows } from '../files/text-rows.ts';
import type { FileCommand, FileRun, FileSettings, Outcome } from './file-command.ts';
import type { ResumeState } from './journal.ts';
import type { RejectionReasons } from './rejection-reasons.ts';
import type { trackResumePoint } from './resume-point.ts';
import type { RunIdentity } from './run-identity.ts';

/** Typical bytes of a row, to estimate the number of rows. */
const BYTES_PER_ROW = 110;

/** One file to read, and what to do with it. */
export interface FileJob extends CommandRun {
  readonly command: FileCommand;
  readonly settings: FileSettings;
  readonly source: SourceFile;
  readonly identity: RunIdentity;
  readonly resumeState: ResumeState;
}

/** Counts of one run: records by what became of them, and rows. */
export interface Counts extends Record<Outcome, number> {
  /** Rows read. */
  read: number;
  /** Rows of records that were done before this run was resumed. */
  skipped: number;
  /** Rows rejected. */
  rejected: number;
}

/** Where rejected rows go. */
export interface Rejections {
  readonly file: RejectedFile;
  readonly reasons: RejectionReasons;
}

/** The rows of the file, by its format. `onBytes` gets the number of bytes read so far. */
export const rowsOf = ({ command, source }: FileJob, onBytes: (read: number) => void): AsyncGenerator<Row[]> => {
  const lines = readLines(source.path, onBytes);
  if (source.format === 'csv') return csvRows(lines, command.columns);
  return source.format === 'ndjson' ? ndjsonRows(lines) : textRows(lines);
};

/** Reads the file before its rows are consumed. @throws CommandFailure when the file changes meanwhile */
async function* readAhead(job: FileJob): AsyncGenerator<Row[]> {
  const bar = showProgress(job, 'scan', job.source.bytes);
  let read = 0;
  try {
    for await (const rows of rowsOf(job, (bytes) => bar.update(bytes, { rows: read }))) {
      if (job.signal.aborted) return;
      read += rows.length;
      yield rows;
    }
  } finally {
    bar.stop();
  }
  await requireUnchanged(job.source);
}

/** What the command has of its file: counts, rejections and progress are kept for it. */
export const fileRun = (
  job: FileJob,
  counts: Counts,
  { file, reasons }: Rejections,
  progress: ReturnType<typeof trackResumePoint>,
): FileRun => {
  const { command, settings, source, resumeState, deployment } = job;
  return {
    ...settings,
    db: deployment.db,
    table: deployment.tableNames[command.noun],
    readAhead: () => readAhead(job),
    format: source.format,
    now: resumeState.startedAt,
    fileChanged: source.changed,
    expectedRows: source.bytes / BYTES_PER_ROW,
    reach: (line, rows) => {
      const isReached = progress.reach(line);
      if (!isReached) counts.skipped += rows;
      return isReached;
    },
    settled: (line, outcome) => {
      progress.settled(line);
      counts[outcome] += 1;
    },
    rejected: (row) => {
      counts.rejected += 1;
      reasons.add(row);
      return file.add(row);
    },
  };
};

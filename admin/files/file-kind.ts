import type { CommandContext } from '../deployment/deployment.ts';
import type { RecordChange, RecordOutcome } from '../records/record-changes.ts';
import type { RecordForm } from '../records/record-form.ts';
import type { FileOptions } from './file-options.ts';
import type { RejectedRow, Row, RowRules } from './rows.ts';
import type { FileFormat, SourceFile } from './source-file.ts';
import type { StagedRows } from './staging.ts';

/** The kinds of data that files have. */
export type DataKind = 'vehicles' | 'compliance' | 'content';

/** What decides how rows are read. */
export interface ReadOptions extends Pick<FileOptions, 'dates' | 'ifNewer' | 'restore'> {
  readonly format: FileFormat;
  /** When the command was started. */
  readonly now: Date;
}

/** What the rows of a vehicle say. Without a change all of them are rejected. */
export interface ReadRows {
  readonly change?: RecordChange;
  readonly rejected?: readonly RejectedRow[];
  /** Rows that say what an earlier one says. */
  readonly repeated?: number;
}

/** How the rows of a vehicle become its record. */
export interface RecordRules {
  readonly form: RecordForm;
  readonly read: (rows: readonly Row[], registration: string, options: ReadOptions) => ReadRows;
}

/** A kind of file: what its rows have, and what a command does with them. */
export interface FileKind extends RowRules {
  /** The name of the command, on the command line too. */
  readonly verb: 'import' | 'remove' | 'erase';
  /** The kind of data; also the id of its table. */
  readonly noun: DataKind;
  /** A clause for the question before it changes production data. */
  readonly consequence: string;
  readonly formats: readonly FileFormat[];
  /** The possible outcomes of a record, the intended one first. */
  readonly outcomes: readonly [RecordOutcome, ...RecordOutcome[]];
  /** A sentence after the result. */
  readonly note?: string;
  /** How its rows are written: as records of vehicles, or in another way. */
  readonly writing: RecordRules | ((run: FileRun, onRows: () => void, context: CommandContext) => Promise<void>);
}

/** Counts of one run: records by outcome, and rows. */
export interface Counts extends Record<RecordOutcome, number> {
  /** Rows of the file that the run has reached. */
  read: number;
  rejected: number;
  /** Rows that say what an earlier one says. */
  repeated: number;
  /** Registrations of the file that have no known UK format, which is often a mistake. */
  unknownFormat: number;
}

/** One run of a command on a file. */
export interface FileRun {
  readonly kind: FileKind;
  readonly source: SourceFile;
  readonly options: FileOptions & ReadOptions;
  readonly staged: StagedRows;
  readonly counts: Counts;
}

/** A file of registrations, whatever else its rows have. A row has at most 100,000 characters. */
export const REGISTRATION_FILE = {
  formats: ['csv', 'ndjson', 'txt'],
  columns: { required: ['registration'], optional: [], others: true },
  maxRowLength: 100_000,
} as const satisfies Partial<FileKind>;

import type { RecordKind } from '../../core/stage/outputs.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { RECORD_OUTCOMES, type RecordChange, type RecordOutcome } from '../records/decide-change.ts';
import type { RecordTarget } from '../records/record-target.ts';
import type { FileOptions } from './file-options.ts';
import type { RejectedRow, Row, RowRules } from './rows.ts';
import type { FileFormat, SourceFile } from './source-file.ts';
import type { StagedRows } from './staging.ts';

export type DataKind = RecordKind | 'content';

export type ReadOptions = FileOptions & { readonly now: Date };

/** The result of reading the rows of a vehicle. Without a change, all rows are rejected. */
export interface ReadRows {
  readonly change?: RecordChange;
  readonly rejected?: readonly RejectedRow[];
  /** Rows that say what an earlier one says. */
  readonly repeated?: number;
}

/** The rows of a registration are read together, and become one change. */
export interface RecordRules {
  readonly kind: 'records';
  readonly target: RecordTarget;
  readonly read: (rows: readonly Row[], registration: string, options: ReadOptions) => ReadRows;
  /** Whether only rows of vehicles are loaded that the table of vehicles has. */
  readonly isForStoredVehicles?: boolean;
  /** Whether a row has no value, so that what is stored stays. In a complete file its vehicle counts as lacked. */
  readonly saysNothing?: (row: Row) => boolean;
  /** Whether a row of a CSV has no policy. */
  readonly lacksPolicy?: (row: Row) => boolean;
}

/** A row is an item of content. Rows stay in the order of the file. */
interface ItemRules {
  readonly kind: 'items';
  readonly write: (run: FileRun, onRows: () => void, context: CommandContext) => Promise<void>;
}

/** A command on a file: what the rows of the file have, and what the command does with them. */
export interface FileCommand extends RowRules {
  readonly verb: 'import' | 'remove' | 'erase' | 'undo';
  readonly noun: DataKind;
  /** Whose parts the command changes; absent for whole records, and for other data than vehicles. */
  readonly supplier?: string | undefined;
  /** What the command does, in words. The operator is asked to confirm it before production data is changed. */
  readonly consequence: string;
  readonly formats: readonly FileFormat[];
  /** The possible outcomes of a record, the intended one first. */
  readonly outcomes: readonly [RecordOutcome, ...RecordOutcome[]];
  readonly note?: string;
  readonly rowHandling: RecordRules | ItemRules;
}

export const NO_COUNTS = {
  ...(Object.fromEntries(RECORD_OUTCOMES.map((outcome) => [outcome, 0])) as Record<RecordOutcome, number>),
  /** Rows of the file that the run has reached. */
  read: 0,
  rejected: 0,
  /** Rows that say what an earlier one says. */
  repeated: 0,
  /** Vehicles of a file of the intake that do not fit beside what is stored of them. */
  notLoaded: 0,
  /** Vehicles that are insured today, and were not before. */
  becameInsured: 0,
  /** Vehicles that were insured today, and are not any more. */
  noLongerInsured: 0,
  /** Rows that say nothing. */
  withoutValue: 0,
  /** Rows of vehicles that are not stored. */
  otherVehicles: 0,
  /** Registrations of the file that have no known UK format, which is often a mistake. */
  unknownFormat: 0,
};

export type Counts = typeof NO_COUNTS;

/** Whether a file has rows, and every row that says anything was rejected. */
export const isRejectedWhole = (counts: Pick<Counts, 'read' | 'rejected' | 'withoutValue'>): boolean =>
  counts.rejected !== 0 && counts.rejected + counts.withoutValue === counts.read;

export interface FileRun {
  readonly command: FileCommand;
  readonly source: SourceFile;
  readonly options: ReadOptions;
  readonly staged: StagedRows;
  readonly counts: Counts;
}

/** The rules of a file whose registrations alone are used. */
export const REGISTRATION_FILE = {
  formats: ['csv', 'ndjson', 'txt'],
  columns: { required: ['registration'], optional: [] },
} as const satisfies Partial<FileCommand>;

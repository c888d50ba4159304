import type { Encoding } from '../../../client/src/command-line/csv-file/encoding.ts';
import type { MovedSlugs } from '../../content-maintenance/content-import.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import type { Columns, MappedColumn } from '../files/csv-header.ts';
import type { RejectedRow, Row } from '../files/row.ts';
import type { FileFormat, SourceFile } from '../files/source-file.ts';

/** The accepted date formats: `YYYY-MM-DD`, or with `uk` DD/MM/YYYY too. Never guessed. */
export type DateForm = 'iso' | 'uk';

/** The largest number of records that a complete file may remove, or its share of what is stored. */
export interface RemovalLimit {
  /** As the operator wrote it. */
  readonly text: string;
  readonly of: (stored: number) => number;
}

/** The options of a file command. */
export interface FileOptions {
  /** Columns of a CSV that have none of their usual names. */
  readonly map: readonly MappedColumn[];
  readonly dates: DateForm;
  /** The encoding of a CSV or text file, when it is not to be found out. */
  readonly encoding?: Encoding | undefined;
  /** Whether a stored record that is as new or newer stays. */
  readonly ifNewer: boolean;
  /** Whether stored records that the file lacks are removed. */
  readonly complete: boolean;
  readonly removeAtMost: RemovalLimit;
  /** A file of registrations that are never loaded, and removed where they are stored. */
  readonly except?: string | undefined;
  /** Whether everything is done but the writes. */
  readonly dryRun: boolean;
  /** The folder of the staging database, instead of that of the file. */
  readonly staging?: string | undefined;
}

/** The outcome of a valid record. `kept`: the stored one is as new. `notThere`: none is stored. */
export type Outcome = 'loaded' | 'unchanged' | 'kept' | 'removed' | 'notThere';

/** Why a valid record was not written. `waits`: another record of the file may make way for it. */
export interface NotWritten {
  readonly reason: string;
  readonly waits: boolean;
}

/** How records are written. */
export interface Writing<ImportRecord> {
  /** Batches at a time. */
  readonly concurrency: number;
  /** Whether one batch can have all of these. */
  readonly fits: (records: readonly ImportRecord[]) => boolean;
  /**
   * Calls `settle` with the index and the result of each record that is done. Begins none once the run is stopped, and has none in
   * flight when it throws.
   */
  readonly write: (
    records: readonly ImportRecord[],
    isStopped: () => boolean,
    settle: (index: number, result: Outcome | NotWritten) => void,
  ) => Promise<void>;
}

/** Remembers which line of a file has claimed a key first, such as a slug. */
export interface Claims {
  /** Claims the key for a line. Returns the earlier line that has it, if one has. */
  readonly claim: (key: string, line: number) => number | undefined;
  readonly lineOf: (key: string) => number | undefined;
}

/** What is stored of a record, as far as an import compares it. */
export interface StoredRecord {
  /** Absent from records that were written before version 0.4.0. */
  readonly revision: string | undefined;
  readonly lastUpdated: string | undefined;
  /** Of all but registration, last update and revision; undefined for a damaged record. */
  readonly digest: string | undefined;
}

/** The context of one file. */
export interface FileContext extends CommandContext, FileOptions {
  readonly source: SourceFile;
  /** The name of the table that is changed. */
  readonly table: string;
}

/** The context in which rows are read and their records are written. */
export interface RowContext extends FileContext {
  /** When the command was started. */
  readonly started: Date;
  readonly claims: Claims;
  /** The slugs that a dry run would have moved: the id of each one's item, null for a free one. */
  readonly movedSlugs: MovedSlugs;
  /** What a scan has found of a record; absent unless the file is complete. */
  readonly scanned?: ((key: string) => StoredRecord | undefined) | undefined;
}

/** A vehicle has at most 20 policies; more rows than this are a mistake and are not kept in memory together. */
export const MAX_GROUP_ROWS = 1_000;

/** Rows with the same key, in the order of the file. A row without a key is a group of its own. */
export interface RowGroup {
  readonly key: string | undefined;
  readonly rows: readonly Row[];
  /** The line of the first row with this key. */
  readonly firstLine: number;
  /** Whether there are more rows than `MAX_GROUP_ROWS`, of which these are some. */
  readonly isTruncated: boolean;
}

/** The result of a group of rows. */
export interface GroupResult<ImportRecord> {
  readonly record?: ImportRecord;
  readonly rejected: readonly RejectedRow[];
}

/** A command that does something for each record of a file. */
export interface FileCommand<ImportRecord> {
  /** The name of the command, on the command line too. */
  readonly verb: 'import' | 'remove';
  /** The kind of data; also the id of its table. */
  readonly noun: 'vehicles' | 'compliance' | 'content';
  /** A clause for the question before it changes production data. */
  readonly consequence: string;
  readonly formats: readonly FileFormat[];
  /** Columns of the CSV format. */
  readonly columns: Columns;
  /** The possible outcomes of a record, the intended one first. */
  readonly outcomes: readonly [Outcome, ...Outcome[]];
  /** A sentence after the result. */
  readonly note?: string;
  /** Removes a record by its key; absent where a file cannot be complete. */
  readonly removal?: (key: string) => ImportRecord;
  /** The key by which rows are grouped and ordered; undefined for a row that stays in the order of the file. */
  readonly keyOf: (row: Row) => string | undefined;
  /** The record of a group, or why its rows have none. */
  readonly read: (group: RowGroup, context: RowContext) => GroupResult<ImportRecord>;
  readonly writing: (context: RowContext) => Writing<ImportRecord>;
}

/** One kind of data that can be imported. */
export type ImportKind<ImportRecord> = Pick<
  FileCommand<ImportRecord>,
  'noun' | 'columns' | 'keyOf' | 'read' | 'removal' | 'writing'
>;

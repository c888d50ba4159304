import type { Encoding } from '../../../client/src/command-line/csv-file/encoding.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import type { Columns, MappedColumn } from '../files/csv-header.ts';
import type { RejectedRow, Row } from '../files/row.ts';
import type { FileFormat, SourceFile } from '../files/source-file.ts';

/** The accepted date formats: `YYYY-MM-DD`, or with `uk` DD/MM/YYYY too. Never guessed. */
export type DateForm = 'iso' | 'uk';

/** The options of a file command. */
export interface FileOptions {
  /** Columns of a CSV that have none of their usual names. */
  readonly map: readonly MappedColumn[];
  readonly dates: DateForm;
  /** The encoding of a CSV or text file, when it is not to be found out. */
  readonly encoding?: Encoding | undefined;
  /** Whether a stored record that is as new or newer stays. */
  readonly ifNewer: boolean;
  /** Starts with the first row, also after a stopped run. */
  readonly restart: boolean;
  /** The folder of the staging file, instead of that of the file. */
  readonly staging?: string | undefined;
}

/** The outcome of a valid record. `kept`: the stored one is as new. `notThere`: none is stored. */
export type Outcome = 'loaded' | 'kept' | 'removed' | 'notThere';

/** A record that must wait until another record of the file is written, and why. */
export interface Waiting {
  readonly reason: string;
}

/** How records are written. */
export interface Writing<Entry> {
  readonly requestsInFlight: number;
  /** Whether one request can have all of these. */
  readonly fits: (entries: readonly Entry[]) => boolean;
  /** Returns the outcome of each record. */
  readonly write: (entries: readonly Entry[]) => Promise<readonly (Outcome | Waiting)[]>;
}

/** Remembers which line of a file has claimed a key first, such as a slug. */
export interface Claims {
  /** Claims the key for a line. Returns the earlier line that has it, if one has. */
  readonly claim: (key: string, line: number) => number | undefined;
  readonly lineOf: (key: string) => number | undefined;
}

/** The context of one file. */
export interface FileContext extends CommandContext, FileOptions {
  readonly source: SourceFile;
  /** The name of the table that is changed. */
  readonly table: string;
}

/** The context in which rows are read and their records are written. */
export interface RowContext extends FileContext {
  /** When the command was started; a continued run has the time of its first start. */
  readonly started: Date;
  readonly claims: Claims;
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
  readonly isPart: boolean;
}

/** The result of a group of rows. */
export interface GroupResult<Entry> {
  readonly record?: Entry;
  readonly rejected: readonly RejectedRow[];
}

/** A command that does something for each record of a file. */
export interface FileCommand<Entry> {
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
  /** The key by which rows are grouped and ordered; undefined for a row that stays in the order of the file. */
  readonly keyOf: (row: Row) => string | undefined;
  /** The record of a group, or why its rows have none. */
  readonly read: (group: RowGroup, context: RowContext) => GroupResult<Entry>;
  readonly writing: (context: RowContext) => Writing<Entry>;
}

/** One kind of data that can be imported. */
export type ImportKind<Entry> = Pick<FileCommand<Entry>, 'noun' | 'columns' | 'keyOf' | 'read' | 'writing'>;

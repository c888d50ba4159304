import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Columns } from '../files/csv-rows.ts';
import type { RejectedRow, Row } from '../files/row.ts';
import type { FileFormat } from '../files/source-file.ts';

/** How the dates of a file are written: `YYYY-MM-DD`, or DD/MM/YYYY too. Which, is never guessed. */
export type DateForm = 'iso' | 'uk';

/** The options that decide what becomes of a record. */
export interface FileSettings {
  readonly dates: DateForm;
  /** Whether a stored record that is as new or newer stays. */
  readonly ifNewer: boolean;
}

/** What becomes of a valid record: stored, or not, because the stored one is as new; removed, or not, because none is stored. */
export type Outcome = 'loaded' | 'kept' | 'removed' | 'notThere';

/** What the command has of one file and where it reports to. */
export interface FileRun extends FileSettings {
  readonly db: DynamoDBDocumentClient;
  /** The name of the table that is changed. */
  readonly table: string;
  readonly format: FileFormat;
  /** When the command was started; for a resumed one, when it was started first. */
  readonly now: Date;
  /** When the file was last modified, ISO 8601 UTC: the `lastUpdated` of records that have none. */
  readonly fileChanged: string;
  /** An estimate, to allocate memory for. */
  readonly expectedRows: number;
  /** Reads all rows of the file before the first is consumed. Ends early at Ctrl-C. */
  readonly readAhead: () => AsyncIterable<readonly Row[]>;
  /**
   * Called for each valid record by the line of its last row; lines ascend. Returns whether there is something to do: false
   * when an earlier run has done it, whose rows it counts.
   */
  readonly reach: (line: number, rows: number) => boolean;
  /** Counts a record that was reached: its write is confirmed. */
  readonly settled: (line: number, outcome: Outcome) => void;
  /** Counts and writes down a rejected row. Returns a promise when the disk is behind. */
  readonly rejected: (row: RejectedRow) => Promise<unknown> | undefined;
}

/** Consumes the rows of one file. A returned promise must be awaited before the next row. */
export interface RowConsumer {
  readonly consume: (row: Row) => Promise<unknown> | undefined;
  /** Called at the end of the file, not when the command is stopped: handles rows that waited for later ones. */
  readonly end?: () => Promise<unknown> | undefined;
  /** Resolves when every write is confirmed. */
  readonly finish: () => Promise<void>;
}

/** A command that does something for each record of a file. */
export interface FileCommand {
  /** As on the command line. */
  readonly verb: 'import' | 'remove';
  /** The kind of data; also the id of its table. */
  readonly noun: 'vehicles' | 'compliance' | 'content';
  /** A clause for the question before it changes production data. */
  readonly consequence: string;
  readonly formats: readonly FileFormat[];
  /** Columns of the CSV format. */
  readonly columns: Columns;
  /** What can become of a record; first what the command is for. */
  readonly outcomes: readonly [Outcome, ...Outcome[]];
  /** A sentence after the result. */
  readonly note?: string;
  /** @throws CommandFailure when the file cannot be read to its end; nothing is changed then */
  readonly open: (run: FileRun) => RowConsumer | Promise<RowConsumer>;
}

import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Columns } from '../../files/csv-rows.ts';
import type { RejectedRow, Row } from '../../files/row.ts';
import type { FileFormat } from '../../files/source-file.ts';
import type { ResumeTracker } from './resume-point.ts';

/** How the dates of a file are written: `YYYY-MM-DD`, or DD/MM/YYYY too. Which, is never guessed. */
export type DateForm = 'iso' | 'uk';

/** What the import of one file has and where it reports to. */
export interface ImportRun {
  readonly db: DynamoDBDocumentClient;
  /** The name of the table that is imported into. */
  readonly table: string;
  readonly format: FileFormat;
  readonly dates: DateForm;
  /** When the import was started; for a resumed one, when it was started first. */
  readonly now: Date;
  /** When the file was last modified, ISO 8601 UTC: the `lastUpdated` of records that have none. */
  readonly fileChanged: string;
  /** An estimate, to allocate memory for. */
  readonly expectedRows: number;
  /** Reads all rows of the file before the first is consumed. Ends early at Ctrl-C. */
  readonly readAhead: () => AsyncIterable<readonly Row[]>;
  /** Receives every valid record and every confirmed write; recognises records that an earlier run has stored. */
  readonly progress: ResumeTracker;
  /** Counts records whose write is confirmed. */
  readonly loaded: (records: number) => void;
  /** Counts rows of records that an earlier run has stored. */
  readonly skipped: (rows: number) => void;
  /** Counts and writes down a rejected row. Returns a promise when the disk is behind. */
  readonly rejected: (row: RejectedRow) => Promise<unknown> | undefined;
}

/** Consumes the rows of one file. A returned promise must be awaited before the next row. */
export interface RowConsumer {
  readonly consume: (row: Row) => Promise<unknown> | undefined;
  /** Called at the end of the file, not when the import is stopped: handles rows that waited for later ones. */
  readonly end?: () => Promise<unknown> | undefined;
  /** Resolves when every record is stored. */
  readonly finish: () => Promise<void>;
}

/** One kind of data that can be imported. */
export interface ImportKind {
  /** Also the id of its table. */
  readonly noun: 'vehicles' | 'compliance' | 'content';
  /** Columns of the CSV format. */
  readonly columns: Columns;
  /** @throws CommandFailure when the file cannot be loaded; nothing is stored then */
  readonly open: (run: ImportRun) => RowConsumer | Promise<RowConsumer>;
}

import type { TableId } from '../../../../functions/tables.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import type { Columns } from '../../files/csv-header.ts';
import type { FileFormat } from '../../files/file-format.ts';
import type { RejectedRow, Row } from '../../files/row.ts';
import type { ResumeTracker } from './resume-point.ts';

/** What the import of one file has and where it reports to. */
export interface ImportRun {
  readonly deployment: Deployment;
  readonly format: FileFormat;
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
  readonly noun: 'vehicles' | 'compliance' | 'content';
  readonly table: TableId;
  /** Columns of the CSV format. */
  readonly columns: Columns;
  /** @throws CommandFailure when the file cannot be loaded; nothing is stored then */
  readonly open: (run: ImportRun) => RowConsumer | Promise<RowConsumer>;
}

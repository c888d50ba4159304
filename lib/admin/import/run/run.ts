import type { TableId } from '../../../../functions/tables.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import type { Columns } from '../../files/csv-header.ts';
import type { FileFormat } from '../../files/file-format.ts';
import type { RefusedRow, Row } from '../../files/row.ts';
import type { ResumeTracker } from './resume-point.ts';

/** What one import knows and where it reports to. */
export interface ImportRun {
  readonly deployment: Deployment;
  readonly format: FileFormat;
  /** When the import began, at first if it is resumed. */
  readonly now: Date;
  /** When the file last changed, ISO 8601 UTC: stands in for a record's own `lastUpdated`. */
  readonly fileChanged: string;
  /** A rough number, to make room for. */
  readonly expectedRows: number;
  /** All rows of the file, to be read before any is taken. Ends early at Ctrl-C. */
  readonly readAhead: () => AsyncIterable<readonly Row[]>;
  /** Hears of every sound record, and when it is stored; knows those that an earlier run has stored, to be `skipped`. */
  readonly progress: ResumeTracker;
  /** Records that are stored for certain. */
  readonly loaded: (records: number) => void;
  /** Rows of a record that an earlier run has stored. */
  readonly skipped: (rows: number) => void;
  /** A promise when the disk is behind. */
  readonly refused: (row: RefusedRow) => Promise<unknown> | undefined;
}

/** Takes the rows of one file. Where a promise is returned, it is to be waited for before the next row. */
export interface RowTaker {
  readonly take: (row: Row) => Promise<unknown> | undefined;
  /** The file is at its end: what waited for rows to come is settled. Not called when the import is stopped. */
  readonly end?: () => Promise<unknown> | undefined;
  /** Everything that was settled is stored when this resolves. */
  readonly finish: () => Promise<void>;
}

/** One kind of data that can be imported. */
export interface ImportKind {
  readonly noun: 'vehicles' | 'compliance' | 'content';
  readonly table: TableId;
  /** Of the CSV form. */
  readonly columns: Columns;
  /** @throws CommandFailure when the file cannot be loaded; nothing is stored then */
  readonly open: (run: ImportRun) => RowTaker | Promise<RowTaker>;
}

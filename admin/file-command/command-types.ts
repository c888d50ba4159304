import type { MovedSlugs } from '../content/content-import.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import type { Columns } from '../files/csv-header.ts';
import type { RejectedRow, Row } from '../files/row.ts';
import type { FileFormat, SourceFile } from '../files/source-file.ts';
import type { RecordOutcome } from './counts.ts';
import type { FileOptions } from './file-options.ts';
import type { PartSummary, StoredForm } from './record-form.ts';
import type { RowGroup } from './row-groups.ts';
import type { Claims } from './staged-rows.ts';

/** The kinds of data that files have. */
export type DataKind = 'vehicles' | 'compliance' | 'content';

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
  /** What a scan has found of the supplier's part of a record; absent unless the file is complete. */
  readonly scanned?: ((key: string) => PartSummary | undefined) | undefined;
}

/** One row read as a whole record, or every reason why it is none. */
export type RowResult<ImportRecord> = { readonly record: ImportRecord } | { readonly reasons: readonly string[] };

/** The result of a group of rows. */
export interface GroupResult<ImportRecord> {
  readonly record?: ImportRecord;
  readonly rejected: readonly RejectedRow[];
}

/** Why a valid record was not written. `after`: the claim of the row, if the file has one, that must come before it. */
export interface WriteRefusal {
  readonly reason: string;
  readonly after?: string | undefined;
}

/** How records are written. */
export interface RecordWriter<ImportRecord> {
  /** Batches at a time. */
  readonly concurrency: number;
  /** Whether one batch can have all of these. */
  readonly fits: (records: readonly ImportRecord[]) => boolean;
  /** Settles each record that is done by its index. Starts none once stopped; none is in flight when it throws. */
  readonly write: (
    records: readonly ImportRecord[],
    isStopped: () => boolean,
    settle: (index: number, result: RecordOutcome | WriteRefusal) => void,
  ) => Promise<void>;
}

/** A command that does something for each record of a file. */
export interface FileCommand<ImportRecord> {
  /** The name of the command, on the command line too. */
  readonly verb: 'import' | 'remove';
  /** The kind of data; also the id of its table. */
  readonly noun: DataKind;
  /** A clause for the question before it changes production data. */
  readonly consequence: string;
  readonly formats: readonly FileFormat[];
  /** Columns of the CSV format. */
  readonly columns: Columns;
  /** The possible outcomes of a record, the intended one first. */
  readonly outcomes: readonly [RecordOutcome, ...RecordOutcome[]];
  /** A sentence after the result. */
  readonly note?: string;
  /** How the records that a complete file is compared with are read; absent where a file cannot be complete. */
  readonly form?: (options: Pick<FileOptions, 'supplier'>) => StoredForm;
  /** Removes the supplier's part of a record, or the whole record; absent where a file cannot be complete. */
  readonly removal?: (key: string, isErased: boolean) => ImportRecord;
  /** The key by which rows are grouped and ordered; undefined for a row that stays in the order of the file. */
  readonly keyOf: (row: Row) => string | undefined;
  /** The record of a group, or why its rows have none. */
  readonly read: (group: RowGroup, context: RowContext) => GroupResult<ImportRecord>;
  readonly writing: (context: RowContext) => RecordWriter<ImportRecord>;
}

/** One kind of data that can be imported. */
export type ImportKind<ImportRecord> = Pick<
  FileCommand<ImportRecord>,
  'noun' | 'columns' | 'form' | 'keyOf' | 'read' | 'removal' | 'writing'
>;

/** Reads rows that are one whole record each. Several of a vehicle are all rejected: nobody knows which is right. */
export const recordPerRow = <ImportRecord>(
  { key, rows, firstLine, isTruncated }: RowGroup,
  read: (row: Row, key: string | undefined) => RowResult<ImportRecord>,
): GroupResult<ImportRecord> => {
  const isRepeated = rows.length > 1 || isTruncated;
  const rejected: RejectedRow[] = [];
  for (const row of rows) {
    const result = row.issues.length > 0 ? { reasons: row.issues } : read(row, key);
    if ('record' in result && !isRepeated) return { record: result.record, rejected };
    const reasons = 'reasons' in result ? result.reasons : [];
    const other = row.line === firstLine ? rows[1]?.line : firstLine;
    const repeat = `this vehicle is on line ${other} too; a vehicle may be on one line of a file only`;
    rejected.push({ row, reasons: isRepeated ? [...reasons, repeat] : reasons });
  }
  return { rejected };
};

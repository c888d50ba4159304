import type { GroupResult } from '../file-command/file-command.ts';
import type { RowGroup } from '../file-command/staged-rows.ts';
import type { RejectedRow, Row } from '../files/row.ts';

/** One row read as a whole record, or every reason why it is none. */
export type RowResult<ImportRecord> = { readonly record: ImportRecord } | { readonly reasons: readonly string[] };

/** Reads rows of which each is one vehicle's whole record: every row but the first of a vehicle is rejected. */
export const recordPerRow = <ImportRecord>(
  { key, rows, firstLine }: RowGroup,
  read: (row: Row, registration: string | undefined) => RowResult<ImportRecord>,
): GroupResult<ImportRecord> => {
  const rejected: RejectedRow[] = [];
  let record: ImportRecord | undefined;
  for (const row of rows) {
    const result = row.issues.length > 0 ? { reasons: row.issues } : read(row, key);
    const reasons = 'reasons' in result ? result.reasons : [];
    const repeat = `this vehicle is on line ${firstLine} already; a vehicle may be on one line of a file only`;
    if (row.line !== firstLine) rejected.push({ row, reasons: [...reasons, repeat] });
    else if ('record' in result) record = result.record;
    else rejected.push({ row, reasons });
  }
  return record === undefined ? { rejected } : { record, rejected };
};

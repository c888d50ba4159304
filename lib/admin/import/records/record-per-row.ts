import { normaliseRegistration } from '../../../../core/vehicles/registration.ts';
import type { FileContext, GroupResult, RowGroup, Writing } from '../../file-command/file-command.ts';
import { putInBatches } from '../../file-command/record-writer.ts';
import type { RejectedRow, Row } from '../../files/row.ts';
import { putIfNewer, type StoredRecord } from './put-if-newer.ts';

/** The normalised registration of a row; undefined when it is missing or invalid. */
export const registrationOf = ({ fields }: Row): string | undefined =>
  typeof fields.registration === 'string' ? normaliseRegistration(fields.registration) : undefined;

/** One row read as a whole record, or every reason why it is none. */
export type RowResult<Entry> = { readonly record: Entry } | { readonly reasons: readonly string[] };

/** How records of vehicles and of compliance are stored. */
export const recordWriting = (context: FileContext): Writing<StoredRecord> =>
  context.ifNewer ? putIfNewer(context) : putInBatches(context);

/** Reads rows of which each is one vehicle's whole record: every row but the first of a vehicle is rejected. */
export const recordPerRow = <Entry>(
  { key, rows, firstLine }: RowGroup,
  read: (row: Row, registration: string | undefined) => RowResult<Entry>,
): GroupResult<Entry> => {
  const rejected: RejectedRow[] = [];
  let record: Entry | undefined;
  for (const row of rows) {
    const result = read(row, key);
    const reasons = 'reasons' in result ? result.reasons : [];
    const repeat = `this vehicle is on line ${firstLine} already; a vehicle may be on one line of a file only`;
    if (row.line !== firstLine) rejected.push({ row, reasons: [...reasons, repeat] });
    else if ('record' in result) record = result.record;
    else rejected.push({ row, reasons });
  }
  return record === undefined ? { rejected } : { record, rejected };
};

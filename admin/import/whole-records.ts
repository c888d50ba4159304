import { Erasure } from '../../core/vehicles/erasure.ts';
import type { ReadOptions, ReadRows } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import type { RecordChange } from '../records/record-changes.ts';
import { type FieldChecks, fieldChecks } from './field-checks.ts';
import { readFields } from './read-fields.ts';

/** Reads a row as a change, which is valid only when `check` has no issue. */
type ReadRow = (check: FieldChecks, fields: Row['fields'], registration: string) => Omit<RecordChange, 'registration'>;

/** An erasure from its line of an export. Other imports reject it, so that no supplier can erase a vehicle. */
const readErasure =
  ({ restore }: ReadOptions): ReadRow =>
  (check, fields, registration) => {
    if (!restore) check.issue('erased', 'this is a line of an export; only --restore loads it');
    else
      return { erasure: readFields(check, Erasure, fields, { registration: () => registration }).erased, isCopy: true };
    return {};
  };

/**
 * Reads rows that are one whole record each. Equal rows count as one. Rows that differ are rejected, because it is
 * unclear which one is right.
 */
export const readWholeRecords = (
  rows: readonly Row[],
  registration: string,
  options: ReadOptions,
  read: ReadRow,
): ReadRows => {
  const results = rows.map((row) => {
    const check = fieldChecks(options);
    const readRow = row.fields.erased === undefined ? read : readErasure(options);
    return { row, reasons: check.reasons, change: { registration, ...readRow(check, row.fields, registration) } };
  });
  const changes = new Set(results.map(({ change, reasons }) => JSON.stringify([change, reasons])));
  const [first, second] = results;
  if (first?.reasons.length === 0 && changes.size === 1) return { change: first.change, repeated: rows.length - 1 };
  const contradiction = (line: number | undefined) =>
    `this vehicle is on line ${line} too, with other values; leave one of them`;
  return {
    rejected: results.map(({ row, reasons }) => ({
      row,
      reasons: second ? [...reasons, contradiction((row === first?.row ? second : first)?.row.line)] : reasons,
    })),
  };
};

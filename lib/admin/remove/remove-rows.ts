import { DeleteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { vehicleKey } from '../../../core/vehicles/vehicles-table.ts';
import type { FileCommand, FileRun, Writing } from '../file-command/file-command.ts';
import { oneByOne } from '../file-command/record-writer.ts';
import type { Row } from '../files/row.ts';
import { fieldChecks } from '../import/records/field-checks.ts';
import { registrationOf } from '../import/records/record-per-row.ts';

/** The table whose records are erased, and the one in which the same vehicles may have others. */
export interface RemoveKind {
  readonly noun: 'vehicles' | 'compliance';
  readonly other: 'vehicles' | 'compliance';
}

/** The records of each table, in a sentence. */
export const RECORDS = { vehicles: 'vehicles', compliance: 'compliance records' } as const;

/** What production data loses, for the question. */
export const consequenceOf = ({ noun }: RemoveKind): string => `This erases ${RECORDS[noun]} for good`;

/** A command erases the records of one table only. */
export const noteOf = ({ noun, other }: RemoveKind): string =>
  `Only ${RECORDS[noun]} were removed; "remove ${other}" removes ${RECORDS[other]}.`;

/**
 * Deletes records by their normalised registration. After an answer that was lost, the next attempt finds nothing: such a
 * record counts as not there.
 */
export const deletions = (db: DynamoDBDocumentClient, table: string): Writing<string> =>
  oneByOne(async (registration) => {
    const { Attributes } = await db.send(
      new DeleteCommand({ TableName: table, Key: vehicleKey(registration), ReturnValues: 'ALL_OLD' }),
    );
    return Attributes === undefined ? 'notThere' : 'removed';
  });

const reasonsOf = (row: Row, run: FileRun): readonly string[] => {
  if (row.issues.length > 0) return row.issues;
  const check = fieldChecks(run);
  check.invalidRegistration('registration', row.fields.registration);
  return check.reasons;
};

/** Removes the records of the registrations in a file, whatever else its rows have. */
export const removeCommand = (kind: RemoveKind): FileCommand<string> => ({
  verb: 'remove',
  noun: kind.noun,
  consequence: consequenceOf(kind),
  formats: ['csv', 'ndjson', 'txt'],
  columns: { required: ['registration'], optional: [], others: true },
  outcomes: ['removed', 'notThere'],
  note: noteOf(kind),
  keyOf: registrationOf,
  // A registration may be in the file more than once, as in a vehicles CSV: it is removed and counted once.
  read: ({ key, rows, firstLine }, run) => {
    const isReadable = (row: Row) => key !== undefined && row.issues.length === 0;
    const rejected = rows.filter((row) => !isReadable(row)).map((row) => ({ row, reasons: reasonsOf(row, run) }));
    const first = rows.find(isReadable);
    const isRemoved = first === undefined || rows[0]?.line !== firstLine;
    return key === undefined || isRemoved ? { rejected } : { record: key, rejected };
  },
  writing: ({ db, table }) => deletions(db, table),
});

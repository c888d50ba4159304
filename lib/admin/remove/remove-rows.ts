import { DeleteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { vehicleKey } from '../../../core/vehicles/vehicles-table.ts';
import type { FileCommand, FileContext, Writing } from '../file-command/file-command.ts';
import { oneByOne } from '../file-command/record-writer.ts';
import type { Row } from '../files/row.ts';
import { fieldChecks } from '../import/records/field-checks.ts';
import { registrationOf } from '../import/records/record-per-row.ts';

/** The records of each table, in a sentence. */
export const RECORDS = { vehicles: 'vehicles', compliance: 'compliance records' } as const;

/**
 * Deletes records by their normalised registration. After a lost response the next attempt finds nothing: the record counts
 * as not there.
 */
export const deletions = (db: DynamoDBDocumentClient, table: string): Writing<string> =>
  oneByOne(async (registration) => {
    const { Attributes } = await db.send(
      new DeleteCommand({ TableName: table, Key: vehicleKey(registration), ReturnValues: 'ALL_OLD' }),
    );
    return Attributes === undefined ? 'notThere' : 'removed';
  });

const reasonsOf = (row: Row, context: FileContext): readonly string[] => {
  if (row.issues.length > 0) return row.issues;
  const check = fieldChecks(context);
  check.invalidRegistration('registration', row.fields.registration);
  return check.reasons;
};

/**
 * Removes the records of the registrations in a file from one table, whatever else its rows have. The same vehicles may have
 * others in the other table.
 */
export const removeCommand = (noun: keyof typeof RECORDS, other: keyof typeof RECORDS): FileCommand<string> => ({
  verb: 'remove',
  noun,
  consequence: `This erases ${RECORDS[noun]} for good`,
  formats: ['csv', 'ndjson', 'txt'],
  columns: { required: ['registration'], optional: [], others: true },
  outcomes: ['removed', 'notThere'],
  note: `Only ${RECORDS[noun]} were removed; "remove ${other}" removes ${RECORDS[other]}.`,
  keyOf: registrationOf,
  // A registration may be in the file more than once, as in a vehicles CSV: it is removed and counted once.
  read: ({ key, rows, firstLine }, context) => {
    const isReadable = (row: Row) => key !== undefined && row.issues.length === 0;
    const rejected = rows.filter((row) => !isReadable(row)).map((row) => ({ row, reasons: reasonsOf(row, context) }));
    const isRemoved = !rows.some(isReadable) || rows[0]?.line !== firstLine;
    return key === undefined || isRemoved ? { rejected } : { record: key, rejected };
  },
  writing: ({ db, table }) => deletions(db, table),
});

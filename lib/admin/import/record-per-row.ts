import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { GroupResult, RowContext, RowGroup, Writing } from '../file-command/file-command.ts';
import { oneByOne, putInBatches } from '../file-command/record-writer.ts';
import type { RejectedRow, Row } from '../files/row.ts';

/** One row read as a whole record, or every reason why it is none. */
export type RowResult<Entry> = { readonly record: Entry } | { readonly reasons: readonly string[] };

/** The common fields of vehicle and compliance records. */
export interface StoredRecord {
  readonly registration: string;
  /** Imports and samples write it in one form, `YYYY-MM-DDTHH:MM:SS.sssZ`: it compares as text. */
  readonly lastUpdated?: string;
}

/** A record of unknown age counts as the oldest: it is stored only where there is none. */
const conditionFor = ({ lastUpdated }: StoredRecord) =>
  lastUpdated === undefined
    ? { ConditionExpression: 'attribute_not_exists(registration)' }
    : {
        ConditionExpression: 'attribute_not_exists(lastUpdated) OR lastUpdated < :lastUpdated',
        ExpressionAttributeValues: { ':lastUpdated': lastUpdated },
      };

/** Puts records unless the stored one is as new or newer. DynamoDB compares, so this holds for concurrent imports. */
const putIfNewer = ({ deployment: { db }, table }: RowContext): Writing<StoredRecord> =>
  oneByOne(async (record) => {
    try {
      await db.send(new PutCommand({ TableName: table, Item: record, ...conditionFor(record) }));
      return 'loaded';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'kept';
      throw error;
    }
  });

/** How records of vehicles and of compliance are stored. */
export const recordWriting = (context: RowContext): Writing<StoredRecord> =>
  context.ifNewer ? putIfNewer(context) : putInBatches(context);

/** Reads rows of which each is one vehicle's whole record: every row but the first of a vehicle is rejected. */
export const recordPerRow = <Entry>(
  { key, rows, firstLine }: RowGroup,
  read: (row: Row, registration: string | undefined) => RowResult<Entry>,
): GroupResult<Entry> => {
  const rejected: RejectedRow[] = [];
  let record: Entry | undefined;
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

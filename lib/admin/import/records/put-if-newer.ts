import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { FileContext, Writing } from '../../file-command/file-command.ts';
import { oneByOne } from '../../file-command/record-writer.ts';

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
export const putIfNewer = ({ db, table }: FileContext): Writing<StoredRecord> =>
  oneByOne(async (record) => {
    try {
      await db.send(new PutCommand({ TableName: table, Item: record, ...conditionFor(record) }));
      return 'loaded';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'kept';
      throw error;
    }
  });

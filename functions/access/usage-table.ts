import { type DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { WINDOW_SECONDS, type Window } from './window.ts';

/** How long a finished window's counter is kept, in seconds, before DynamoDB removes it. */
const KEPT_AFTER_WINDOW_SECONDS = 60 * WINDOW_SECONDS;

const counterKey = (keyId: string, window: Window) => ({
  keyId: { S: keyId },
  windowStart: { N: String(window.start) },
});

/** The table of requests counted per key and window. */
export const usageTable = (db: DynamoDBClient, table: string) => ({
  /**
   * Counts one request and returns how many there are now. Atomic: of any number of concurrent requests each gets
   * its own number, which is what makes the limit exact.
   */
  increment: async (keyId: string, window: Window): Promise<number> => {
    const { Attributes } = await db.send(
      new UpdateItemCommand({
        TableName: table,
        Key: counterKey(keyId, window),
        UpdateExpression: 'ADD used :one SET expiresAt = if_not_exists(expiresAt, :expiresAt)',
        ExpressionAttributeValues: {
          ':one': { N: '1' },
          ':expiresAt': { N: String(window.end + KEPT_AFTER_WINDOW_SECONDS) },
        },
        ReturnValues: 'UPDATED_NEW',
      }),
    );
    return Number(Attributes?.used?.N);
  },

  /** Requests counted in a window so far; 0 when there were none. */
  count: async (keyId: string, window: Window): Promise<number> => {
    const { Item } = await db.send(
      new GetItemCommand({ TableName: table, Key: counterKey(keyId, window), ConsistentRead: true }),
    );
    return Number(Item?.used?.N ?? 0);
  },
});

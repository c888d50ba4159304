import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { WINDOW_SECONDS, type Window } from './plans.ts';

/** Seconds after a window's end at which DynamoDB removes its counter. */
const KEPT_AFTER_WINDOW_SECONDS = 60 * WINDOW_SECONDS;

const counterKey = (keyId: string, window: Window) => ({ keyId, windowStart: window.start });

/** The table of requests counted per key and window. */
export const usageTable = (db: DynamoDBDocumentClient, table: string) => ({
  /**
   * Counts one request and returns how many there are now. Atomic: of any number of concurrent requests each gets
   * its own number, so the limit is exact.
   */
  increment: async (keyId: string, window: Window): Promise<number> => {
    const { Attributes } = await db.send(
      new UpdateCommand({
        TableName: table,
        Key: counterKey(keyId, window),
        UpdateExpression: 'ADD used :one SET expiresAt = if_not_exists(expiresAt, :expiresAt)',
        ExpressionAttributeValues: { ':one': 1, ':expiresAt': window.end + KEPT_AFTER_WINDOW_SECONDS },
        ReturnValues: 'UPDATED_NEW',
      }),
    );
    return Number(Attributes?.used);
  },

  /** Requests counted in a window so far; 0 when there were none. */
  count: async (keyId: string, window: Window): Promise<number> => {
    const { Item } = await db.send(
      new GetCommand({ TableName: table, Key: counterKey(keyId, window), ConsistentRead: true }),
    );
    return Number(Item?.used ?? 0);
  },
});

import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Window } from './plans.ts';

/** Requests counted in the window that began at `start`, in Unix seconds. */
export interface WindowCount {
  readonly start: number;
  readonly used: number;
}

/** Days after a window's end at which its counter expires: a month can be reported until the ninth of the next one. */
export const COUNTERS_KEPT_DAYS = 40;
const KEPT_AFTER_WINDOW_SECONDS = COUNTERS_KEPT_DAYS * 86_400;

/** The table of requests counted per key and window. */
export const usageTable = (db: DynamoDBDocumentClient, table: string) => ({
  /**
   * Counts one request and returns how many there are now. Atomic: of any number of concurrent requests each gets
   * its own number, so the limit is never exceeded. An update whose response is lost, or slower than the client waits, is
   * sent again and can count twice: the caller then gets fewer requests, never more.
   */
  increment: async (keyId: string, window: Window): Promise<number> => {
    const { Attributes } = await db.send(
      new UpdateCommand({
        TableName: table,
        Key: { keyId, windowStart: window.start },
        UpdateExpression: 'ADD used :one SET expiresAt = if_not_exists(expiresAt, :expiresAt)',
        ExpressionAttributeValues: { ':one': 1, ':expiresAt': window.end + KEPT_AFTER_WINDOW_SECONDS },
        ReturnValues: 'UPDATED_NEW',
      }),
    );
    const used: unknown = Attributes?.used;
    if (typeof used !== 'number') throw new Error('The response of DynamoDB has no counter.');
    return used;
  },

  /** The windows of a key that began at `start` or later and had requests, oldest first. Eventually consistent. */
  countsSince: async (keyId: string, start: number): Promise<WindowCount[]> => {
    // One page: a day has at most 1,440 counters of under 70 bytes.
    const { Items = [] } = await db.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'keyId = :keyId AND windowStart >= :start',
        ExpressionAttributeValues: { ':keyId': keyId, ':start': start },
        ProjectionExpression: 'windowStart, used',
      }),
    );
    return Items.map(({ windowStart, used }) => ({ start: Number(windowStart), used: Number(used) }));
  },
});

import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Window } from '../../../core/access/plans.ts';
import { usageTable as countsTable } from '../../../core/access/usage-table.ts';

/** The table of requests counted per key and window: that of core/, and what only operators read. */
export const usageTable = (db: DynamoDBDocumentClient, table: string) => ({
  ...countsTable(db, table),

  /** The start of the newest window with requests of a key, in Unix seconds; undefined when none is `since` or later. */
  newestWindow: async (keyId: string, since: number): Promise<number | undefined> => {
    const { Items = [] } = await db.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'keyId = :keyId AND windowStart >= :since',
        ExpressionAttributeValues: { ':keyId': keyId, ':since': since },
        ProjectionExpression: 'windowStart',
        ScanIndexForward: false,
        Limit: 1,
      }),
    );
    return Items[0] && Number(Items[0].windowStart);
  },

  /** Requests counted in a window so far; 0 when there were none. */
  count: async (keyId: string, window: Window): Promise<number> => {
    const { Item } = await db.send(
      new GetCommand({ TableName: table, Key: { keyId, windowStart: window.start }, ConsistentRead: true }),
    );
    return Number(Item?.used ?? 0);
  },
});

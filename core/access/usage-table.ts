import { type DynamoDBDocumentClient, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoItem } from '../dynamodb/database.ts';
import type { Window } from './plans.ts';

/** The counters of one window. `start` is in Unix seconds. */
export interface WindowCount {
  readonly start: number;
  readonly used: number;
  /** Entries of valid bulk requests beyond the first of each request. */
  readonly extraUnits: number;
  /**
   * The limit of the key's plan, recorded when a request is rejected for it. A later change of the plan then leaves the
   * figures of this window as they were. Absent when no request was rejected.
   */
  readonly requestsPerWindow?: number;
}

const windowCount = ({ windowStart, used, extraUnits = 0, requestsPerWindow }: DynamoItem): WindowCount => ({
  start: Number(windowStart),
  used: Number(used),
  extraUnits: Number(extraUnits),
  ...(requestsPerWindow !== undefined && { requestsPerWindow: Number(requestsPerWindow) }),
});

/** Days for which counters are kept: a month can be reported until the ninth of the next one. */
export const COUNTERS_KEPT_DAYS = 40;
const KEPT_AFTER_WINDOW_SECONDS = COUNTERS_KEPT_DAYS * 86_400;

export const usageTable = (db: DynamoDBDocumentClient, table: string) => ({
  /**
   * Counts one request and returns the new number. The update is atomic: concurrent requests get different numbers, so
   * the limit is never exceeded. A retry after a lost response can count a request twice: the caller then gets fewer
   * requests, never more.
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

  /** Records the limit of a window in which requests are rejected. */
  recordLimit: async (keyId: string, window: Window, requestsPerWindow: number): Promise<void> => {
    await db.send(
      new UpdateCommand({
        TableName: table,
        Key: { keyId, windowStart: window.start },
        UpdateExpression: 'SET requestsPerWindow = :limit',
        ExpressionAttributeValues: { ':limit': requestsPerWindow },
      }),
    );
  },

  /** The counters of a key's windows from `start` to `end`, inclusive, oldest first. Eventually consistent. */
  counts: async (keyId: string, start: number, end = Number.MAX_SAFE_INTEGER): Promise<WindowCount[]> => {
    const pages = paginateQuery(
      { client: db },
      {
        TableName: table,
        KeyConditionExpression: 'keyId = :keyId AND windowStart BETWEEN :start AND :end',
        ExpressionAttributeValues: { ':keyId': keyId, ':start': start, ':end': end },
        ProjectionExpression: 'windowStart, used, extraUnits, requestsPerWindow',
      },
    );
    return (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items.map(windowCount));
  },
});

export type UsageTable = ReturnType<typeof usageTable>;

/**
 * Adds units to a window in which a request was counted.
 * @param db a client with one attempt: units may be lost, but never count twice
 */
export const extraUnitsAdder =
  (db: DynamoDBDocumentClient, table: string) =>
  async (keyId: string, window: Window, units: number): Promise<void> => {
    await db.send(
      new UpdateCommand({
        TableName: table,
        Key: { keyId, windowStart: window.start },
        UpdateExpression: 'ADD extraUnits :units',
        ExpressionAttributeValues: { ':units': units },
      }),
    );
  };

import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  paginateQuery,
  QueryCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { DynamoItem } from '../aws/database.ts';
import type { Window } from './plans.ts';

/** The counters of one window. `start` is in Unix seconds. */
export interface WindowCount {
  readonly start: number;
  readonly used: number;
  /** Entries of valid bulk requests beyond the first of each, less the requests that the allowance rejected. */
  readonly extraUnits: number;
  /**
   * The limit of the key's plan, recorded when a request is rejected for it. A later change of the plan then leaves the
   * figures of this window as they were. Absent when no request was rejected.
   */
  readonly requestsPerWindow?: number;
}

export type UsedUnits = Readonly<Record<string, number>>;

export interface AllowanceLimit {
  readonly period: 'day' | 'month';
  readonly counter: string;
  readonly limit: number;
  readonly end: Date;
}

/** What a caller may use at a time. All keys of a customer that are on one plan share its item. */
export interface Allowance {
  /** `windowStart` is the start of the month, in Unix seconds. */
  readonly item: { readonly keyId: string; readonly windowStart: number };
  /** The counters of the month and of the day. Each unit is added to both. */
  readonly counters: readonly [string, string];
  /** At least one, of which the one of the month is the last. */
  readonly limits: readonly AllowanceLimit[];
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
const LONGEST_MONTH_SECONDS = 31 * 86_400;

/** A counter that an update has changed. */
const counterIn = (changed: DynamoItem | undefined, name: string): number => {
  const counter = changed?.[name];
  if (typeof counter !== 'number') throw new Error('The response of DynamoDB has no counter.');
  return counter;
};

export const usageTable = (db: DynamoDBDocumentClient, table: string) => {
  const updateWindow = (keyId: string, { start }: Window, update: Partial<UpdateCommandInput>) =>
    db.send(new UpdateCommand({ ...update, TableName: table, Key: { keyId, windowStart: start } }));

  return {
    /**
     * Counts one request and returns the new number. The update is atomic: concurrent requests get different numbers,
     * so the limit is never exceeded. A retry after a lost response can count a request twice: the caller then gets
     * fewer requests, never more.
     */
    increment: async (keyId: string, window: Window): Promise<number> => {
      const { Attributes } = await updateWindow(keyId, window, {
        UpdateExpression: 'ADD used :one SET expiresAt = if_not_exists(expiresAt, :expiresAt)',
        ExpressionAttributeValues: { ':one': 1, ':expiresAt': window.end + KEPT_AFTER_WINDOW_SECONDS },
        ReturnValues: 'UPDATED_NEW',
      });
      return counterIn(Attributes, 'used');
    },

    recordLimit: async (keyId: string, window: Window, requestsPerWindow: number): Promise<void> => {
      await updateWindow(keyId, window, {
        UpdateExpression: 'SET requestsPerWindow = :limit',
        ExpressionAttributeValues: { ':limit': requestsPerWindow },
      });
    },

    /**
     * Adds units to an allowance if they pass no limit, in one update; 0 always fits.
     * @returns what is then used; undefined when the units do not fit
     */
    addUnits: async ({ item, counters, limits }: Allowance, units: number): Promise<UsedUnits | undefined> => {
      const [month, day] = counters;
      const checked = units === 0 ? [] : limits;
      const fits = checked.map(
        ({ counter, period }) => `(attribute_not_exists(#${counter}) OR #${counter} <= :${period})`,
      );
      try {
        const { Attributes } = await db.send(
          new UpdateCommand({
            TableName: table,
            Key: item,
            UpdateExpression: `ADD #${month} :units, #${day} :units SET expiresAt = :expiresAt`,
            ...(fits.length > 0 && { ConditionExpression: fits.join(' AND ') }),
            ExpressionAttributeNames: Object.fromEntries(counters.map((counter) => [`#${counter}`, counter])),
            ExpressionAttributeValues: {
              ':units': units,
              ':expiresAt': item.windowStart + LONGEST_MONTH_SECONDS + KEPT_AFTER_WINDOW_SECONDS,
              ...Object.fromEntries(checked.map(({ period, limit }) => [`:${period}`, limit - units])),
            },
            ReturnValues: 'UPDATED_NEW',
          }),
        );
        return Object.fromEntries(counters.map((name) => [name, counterIn(Attributes, name)]));
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return undefined;
        throw error;
      }
    },

    /**
     * Adds units to a window in which a request was counted, or takes them away. With a client that has one attempt,
     * units may be lost, but never count twice.
     */
    addExtraUnits: async (keyId: string, window: Window, units: number): Promise<void> => {
      await updateWindow(keyId, window, {
        UpdateExpression: 'ADD extraUnits :units',
        ExpressionAttributeValues: { ':units': units },
      });
    },

    usedUnits: async ({ item, counters }: Allowance): Promise<UsedUnits> => {
      const { Items = [] } = await db.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: 'keyId = :keyId AND windowStart = :windowStart',
          ExpressionAttributeValues: { ':keyId': item.keyId, ':windowStart': item.windowStart },
          ConsistentRead: true,
        }),
      );
      return Object.fromEntries(counters.map((name) => [name, Number(Items[0]?.[name] ?? 0)]));
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
  };
};

export type UsageTable = ReturnType<typeof usageTable>;

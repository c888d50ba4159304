import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { ComplianceRecord } from '../../../core/compliance/compliance-record.ts';
import { batchGet } from '../../../core/dynamodb/batch-get.ts';
import type { DynamoItem } from '../../../core/dynamodb/database.ts';
import { retryUntil } from '../../../core/dynamodb/retry.ts';
import { isTransient } from '../../../core/dynamodb/transact.ts';
import { backoffMs, deadlineIn } from '../../../core/runtime/deadline.ts';
import { readStored } from '../../../core/schemas/record-schema.ts';
import { VehicleRecord } from '../../../core/vehicles/vehicle-record.ts';
import { recordKey } from '../../../core/vehicles/vehicles-table.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';

/** What is stored of a record, as far as an import compares it. */
export interface StoredRecord {
  /** Absent from records that were written before version 0.4.0. */
  readonly revision: string | undefined;
  readonly lastUpdated: string | undefined;
  /** Of all but registration, last update and revision; undefined for a damaged record. */
  readonly digest: string | undefined;
}

/** The tables whose records an import compares with a file. */
export type RecordTable = 'vehicles' | 'compliance';

/** Milliseconds without any progress, after which the command fails. */
export const STALL_TIMEOUT_MS = 30_000;
/** Milliseconds for one attempt to read a batch. */
const READ_TIMEOUT_MS = 10_000;
const BACKOFF_BASE_MS = 100;
const BACKOFF_CAP_MS = 3_000;
/** Parts in which a table is scanned at the same time. */
const SEGMENTS = 8;

/** Repeats a request with jitter while its errors are transient. @throws DeadlineExceeded with the last error */
const persist = <T>(attempt: () => Promise<T>): Promise<T> =>
  retryUntil(deadlineIn(STALL_TIMEOUT_MS), attempt, isTransient, (tries) =>
    backoffMs(tries, BACKOFF_BASE_MS, BACKOFF_CAP_MS),
  );

/** Of the fields in the order of their schema. */
export const digestOf = (part: object): string => hash('sha256', JSON.stringify(part), 'base64url');

const readItem = (table: RecordTable, item: DynamoItem): StoredRecord => {
  const revision = typeof item.revision === 'string' ? item.revision : undefined;
  const record = table === 'vehicles' ? readStored(VehicleRecord, item) : readStored(ComplianceRecord, item);
  if (record === undefined) return { revision, lastUpdated: undefined, digest: undefined };
  const { registration, lastUpdated, ...part } = record;
  return { revision, lastUpdated, digest: digestOf(part) };
};

/** The condition that a record is still as it was read. */
const conditionOf = (stored: StoredRecord | undefined) => {
  if (stored === undefined) return { ConditionExpression: 'attribute_not_exists(registration)' };
  if (stored.revision === undefined) {
    return { ConditionExpression: 'attribute_exists(registration) AND attribute_not_exists(revision)' };
  }
  return { ConditionExpression: 'revision = :revision', ExpressionAttributeValues: { ':revision': stored.revision } };
};

/** False when a condition failed: then nothing was written, or by an earlier attempt whose response was lost. */
const isApplied = async (request: () => Promise<unknown>): Promise<boolean> => {
  try {
    await persist(request);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};

/** The records of a table, by registration, for an import. Each request is repeated while its errors are transient. */
export const storedRecords = (table: RecordTable, { deployment }: CommandContext) => {
  const { db } = deployment;
  const TableName = tableName(deployment, table);
  return {
    /** At most 100 records, strongly consistent. */
    find: async (registrations: readonly string[]): Promise<ReadonlyMap<string, StoredRecord>> => {
      const found = new Map<string, StoredRecord>();
      let keys: readonly DynamoItem[] = registrations.map(recordKey);
      while (keys.length > 0) {
        const { items, unread } = await persist(() =>
          batchGet(db, [{ table: TableName, keys, consistent: true }], deadlineIn(READ_TIMEOUT_MS)),
        );
        for (const item of items.get(TableName) ?? []) found.set(String(item.registration), readItem(table, item));
        keys = unread.get(TableName) ?? [];
      }
      return found;
    },

    /**
     * Reads all records, strongly consistent, in several parts at the same time.
     * @returns whether that was not ended by `isStopped`
     */
    scan: async (
      add: (registration: string, record: StoredRecord) => void,
      isStopped: () => boolean,
    ): Promise<boolean> => {
      const scanSegment = async (Segment: number): Promise<void> => {
        let ExclusiveStartKey: DynamoItem | undefined;
        do {
          const page = { TableName, ConsistentRead: true, Segment, TotalSegments: SEGMENTS, ExclusiveStartKey };
          const { Items = [], LastEvaluatedKey } = await persist(() => db.send(new ScanCommand(page)));
          for (const item of Items) add(String(item.registration), readItem(table, item));
          ExclusiveStartKey = LastEvaluatedKey;
          await nextTurn();
        } while (ExclusiveStartKey !== undefined && !isStopped());
      };
      await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => scanSegment(segment)));
      return !isStopped();
    },

    /** Writes a record in the place of what was read. @returns whether that was still there */
    put: (item: DynamoItem, stored: StoredRecord | undefined): Promise<boolean> =>
      isApplied(() => db.send(new PutCommand({ TableName, Item: item, ...conditionOf(stored) }))),

    /** As `put`. */
    remove: (registration: string, stored: StoredRecord): Promise<boolean> =>
      isApplied(() => db.send(new DeleteCommand({ TableName, Key: recordKey(registration), ...conditionOf(stored) }))),
  };
};

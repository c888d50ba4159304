import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../../core/aws/batch-get.ts';
import type { DynamoItem } from '../../core/aws/database.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { readStored } from '../../core/schemas/record-schema.ts';
import { hasNoRecord, isErased, UndoneErasure } from '../../core/vehicles/erasure.ts';
import { recordKey } from '../../core/vehicles/vehicles-table.ts';
import { showCount } from '../command/progress.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { readPace, scanPages } from './paced-scan.ts';
import type { Parts, RecordTarget } from './record-target.ts';
import { READ_TIMEOUT_MS, retryTransient } from './retry-transient.ts';
import { runConcurrently } from './run-concurrently.ts';

export interface StoredRecord {
  /** Changes with every write. Absent from records of other programs, such as DynamoDB's import from S3. */
  readonly revision: string | undefined;
  /** Undefined for a damaged record, empty where no record is stored. */
  readonly parts: Parts | undefined;
  readonly isErased: boolean;
  /** When an erasure of the vehicle was undone. */
  readonly erasureUndone: string | undefined;
}

/** A value of the attribute `revision`, which every write changes. */
export const newRevision = (): string => randomBytes(16).toString('hex');

const SEGMENTS = 8;

export const revisionOf = ({ revision }: DynamoItem): string | undefined =>
  typeof revision === 'string' ? revision : undefined;

/** The condition of a write: the record is still as it was read. */
export const conditionOf = (stored: Pick<StoredRecord, 'revision'> | undefined) => {
  if (stored === undefined) return { ConditionExpression: 'attribute_not_exists(registration)' };
  if (stored.revision === undefined) {
    return { ConditionExpression: 'attribute_exists(registration) AND attribute_not_exists(revision)' };
  }
  return { ConditionExpression: 'revision = :revision', ExpressionAttributeValues: { ':revision': stored.revision } };
};

/** The records of a table, by registration, for an import. Each request is repeated while its errors are transient. */
export const storedRecords = ({ table, read: readParts }: RecordTarget, context: CommandContext) => {
  const { deployment, signal } = context;
  const { db } = deployment;
  const TableName = tableName(deployment, table);
  const pace = readPace(deployment.readUnits);
  const readItem = (item: DynamoItem): readonly [registration: string, record: StoredRecord] => {
    const record = {
      revision: revisionOf(item),
      parts: hasNoRecord(item) ? new Map() : readParts(item),
      isErased: isErased(item),
      erasureUndone: readStored(UndoneErasure, item)?.erasureUndone,
    };
    return [String(item.registration), record];
  };
  return {
    /** Reads at most 100 records, strongly consistent. */
    find: async (registrations: readonly string[]): Promise<ReadonlyMap<string, StoredRecord>> => {
      const found = new Map<string, StoredRecord>();
      let keys: readonly DynamoItem[] = registrations.map(recordKey);
      while (keys.length > 0) {
        await pace.take(keys.length);
        const { items, unread } = await retryTransient(() =>
          batchGet(db, [{ table: TableName, consistent: true }], keys, deadlineIn(READ_TIMEOUT_MS)),
        );
        pace.correct(0);
        for (const item of items.get(TableName) ?? []) found.set(...readItem(item));
        keys = unread.get(TableName) ?? [];
      }
      return found;
    },

    /** Reads all records, strongly consistent, in pages of at most 1 MB, until Ctrl-C. Shows how many it has read. */
    scan: async (addPage: (page: readonly ReturnType<typeof readItem>[]) => Promise<void> | void): Promise<void> => {
      const progress = showCount(context, 'stored records');
      let read = 0;
      const scanSegment = async (segment: number, isOver: () => boolean): Promise<void> => {
        const part = { TableName, Segment: segment, TotalSegments: SEGMENTS };
        for await (const items of scanPages(deployment, part, pace)) {
          read += items.length;
          progress.update(read);
          await addPage(items.map(readItem));
          await nextTurn();
          if (isOver()) return;
        }
      };
      const segments = Array(SEGMENTS).keys();
      await runConcurrently(segments, SEGMENTS, () => signal.aborted, scanSegment).finally(progress.stop);
    },

    /**
     * Puts the item in place of the record that was read, or deletes that record, unless it has changed since.
     * @returns whether it was replaced; false also when an attempt of its own did, whose response was lost
     */
    replaceUnchanged: async (
      registration: string,
      item: DynamoItem | undefined,
      stored: Pick<StoredRecord, 'revision'> | undefined,
    ): Promise<boolean> => {
      const condition = conditionOf(stored);
      try {
        await context.beforeWrite?.();
        await retryTransient(async () => {
          await (item === undefined
            ? db.send(new DeleteCommand({ TableName, Key: recordKey(registration), ...condition }))
            : db.send(new PutCommand({ TableName, Item: item, ...condition })));
        });
        return true;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return false;
      }
    },
  };
};

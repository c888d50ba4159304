import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { KeyRecord, keyFinder } from '../../../core/access/keys-table.ts';
import type { PlanName } from '../../../core/access/plans.ts';
import type { Item } from '../../../core/dynamodb/database.ts';
import { retryUntil } from '../../../core/dynamodb/retry.ts';
import { deadlineIn } from '../../../core/runtime/deadline.ts';
import { parseStored } from '../../../core/schemas/record.ts';

/** No key has this id. */
export class UnknownKey extends Error {
  constructor(id: string) {
    super(`no key has the id ${id}`);
    this.name = 'UnknownKey';
  }
}

/** Milliseconds for a change, retries included. */
const PATIENCE_MS = 20_000;

/** Whether a change met a rotation of the same key: DynamoDB rejects it then, and nothing was changed. */
const isConflict = (error: unknown): boolean => error instanceof TransactionConflictException;

const parseKey = (item: Item): KeyRecord => parseStored(KeyRecord, item);

/** New values of fields; `null` removes the field. */
export interface KeyChanges {
  readonly plan?: PlanName | undefined;
  readonly domains?: readonly string[] | null | undefined;
}

const updateExpression = (changes: KeyChanges) => {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const [removed, set] = [given.filter(([, value]) => value === null), given.filter(([, value]) => value !== null)];
  const clause = (verb: string, parts: readonly string[]) => (parts.length > 0 ? [`${verb} ${parts.join(', ')}`] : []);
  const setFields = set.map(([field]) => `#${field} = :${field}`);
  const removedFields = removed.map(([field]) => `#${field}`);
  return {
    UpdateExpression: [...clause('SET', setFields), ...clause('REMOVE', removedFields)].join(' '),
    ExpressionAttributeNames: Object.fromEntries(given.map(([field]) => [`#${field}`, field])),
    ...(set.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(set.map(([field, value]) => [`:${field}`, value])),
    }),
  };
};

/** The table of API keys: `keyFinder` of core/, and what only operators do. */
export const keysTable = (db: DynamoDBDocumentClient, table: string) => {
  const change = async (
    id: string,
    expressions: Pick<
      UpdateCommandInput,
      'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
    >,
  ): Promise<KeyRecord> => {
    try {
      const command = {
        TableName: table,
        Key: { id },
        ConditionExpression: 'attribute_exists(id)',
        ReturnValues: 'ALL_NEW' as const,
        ...expressions,
      };
      const send = () => db.send(new UpdateCommand(command));
      const { Attributes } = await retryUntil(deadlineIn(PATIENCE_MS), send, isConflict);
      return parseKey(Attributes ?? {});
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) throw new UnknownKey(id);
      throw error;
    }
  };

  const find = keyFinder(db, table);

  const putNew = (Item: Item) =>
    db.send(new PutCommand({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(id)' }));

  const stored = async (): Promise<Item[]> => {
    const items: Item[] = [];
    for await (const page of paginateScan({ client: db }, { TableName: table, ConsistentRead: true })) {
      items.push(...(page.Items ?? []));
    }
    return items;
  };

  return {
    find,

    /** Every record as it is stored, with the attributes that another version of this service added. */
    stored,

    /** Stores a new key. A write whose response was lost counts as done: keys are random, so an equal hash is this one. */
    add: async (record: KeyRecord): Promise<void> => {
      try {
        await putNew(record);
      } catch (error) {
        const stored = await find(record.id).catch(() => undefined);
        if (stored?.hash !== record.hash) throw error;
      }
    },

    /** Every key, oldest first. */
    list: async (): Promise<KeyRecord[]> =>
      (await stored()).map(parseKey).sort((a, b) => a.createdAt.localeCompare(b.createdAt)),

    /**
     * Copies a record as it is stored in a table of keys. A key that is there already is never changed: it may have been
     * revoked since.
     * @returns whether the key was missing
     */
    addMissing: async (item: Item): Promise<boolean> => {
      try {
        await putNew(item);
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },

    /** Revoking twice keeps the first moment. @throws UnknownKey */
    revoke: (id: string, at: string): Promise<KeyRecord> =>
      change(id, {
        UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :at)',
        ExpressionAttributeValues: { ':at': at },
      }),

    /** Makes all the changes or none; there must be at least one. @throws UnknownKey */
    update: (id: string, changes: KeyChanges): Promise<KeyRecord> => change(id, updateExpression(changes)),
  };
};

import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateScan,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Item } from '../dynamodb/database.ts';
import { parseStored, type RecordOf } from '../schemas/stored-record.ts';
import { KEY_ENVIRONMENTS } from './api-key.ts';
import { PLAN_NAMES, type PlanName } from './plans.ts';
import { SCOPES } from './scopes.ts';

const text = { type: 'string' } as const;

/** A stored API key: its hash and permissions, never the key itself. */
export const KeyRecord = {
  type: 'object',
  required: ['id', 'hash', 'name', 'plan', 'scopes', 'createdAt'],
  properties: {
    id: text,
    hash: text,
    name: text,
    // A type follows from a tuple only.
    plan: { enum: PLAN_NAMES as readonly [PlanName] },
    scopes: { type: 'array', items: { enum: SCOPES } },
    createdAt: text,
    /** The last day on which the key is valid, Europe/London. */
    expires: { type: 'string', format: 'date' },
    /** ISO 8601 UTC; from then on the key is rejected. */
    revokedAt: text,
    /** What the key's prefix says. Keys that were made before version 0.2.0 have none. */
    environment: { enum: KEY_ENVIRONMENTS },
    /** The content domains that the key is bound to, in lower case; any domain if absent. */
    domains: { type: 'array', items: text },
    /** The id of the key that a rotation made to take this one's place. */
    successor: text,
    /** The id of the key whose place this one takes. */
    follows: text,
    /** The id of the first key of a chain of rotations; absent for that key itself. */
    firstKeyId: text,
  },
} as const;

export type KeyRecord = RecordOf<typeof KeyRecord>;

/** No key has this id. */
export class UnknownKey extends Error {
  constructor(id: string) {
    super(`no key has the id ${id}`);
    this.name = 'UnknownKey';
  }
}

const parseKey = (item: Item): KeyRecord => parseStored(KeyRecord, item);

/**
 * The id under which the creations of a key are remembered: the same for all keys of a chain of rotations, so that a request
 * can be repeated with the successor (docs/contract.md#keys-and-plans).
 */
export const idempotencyKeyIdOf = ({ id, firstKeyId = id }: Pick<KeyRecord, 'id' | 'firstKeyId'>): string => firstKeyId;

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

/**
 * Reads the record of a key. Strongly consistent, so that a revoked key stops at once.
 * @throws UnreadableRecord
 */
export const keyFinder =
  (db: DynamoDBDocumentClient, table: string) =>
  async (id: string): Promise<KeyRecord | undefined> => {
    const { Item } = await db.send(new GetCommand({ TableName: table, Key: { id }, ConsistentRead: true }));
    return Item && parseKey(Item);
  };

/** The table of API keys, for operators: functions bundle only `keyFinder`. */
export const keysTable = (db: DynamoDBDocumentClient, table: string) => {
  const change = async (
    id: string,
    expressions: Pick<
      UpdateCommandInput,
      'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
    >,
  ): Promise<KeyRecord> => {
    try {
      const { Attributes } = await db.send(
        new UpdateCommand({
          TableName: table,
          Key: { id },
          ConditionExpression: 'attribute_exists(id)',
          ReturnValues: 'ALL_NEW',
          ...expressions,
        }),
      );
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

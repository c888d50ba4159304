import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { parseStored, type RecordOf } from '../schemas/record-schema.ts';
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
    // The type is derived from it, so it must be a tuple.
    plan: { enum: PLAN_NAMES as readonly [PlanName] },
    scopes: { type: 'array', items: { enum: SCOPES } },
    createdAt: text,
    /** The last day on which the key is valid, Europe/London. */
    expires: { type: 'string', format: 'date' },
    /** ISO 8601 UTC; from then on the key is rejected. */
    revokedAt: text,
    /** What the key's prefix says. The probe's keys have none. */
    environment: { enum: KEY_ENVIRONMENTS },
    /** The content domains that the key is bound to, in lower case; any domain if absent. */
    domains: { type: 'array', items: text },
    /** The id of the key that a rotation made to take this one's place. */
    successor: text,
    /** The id of the key whose place this one takes. */
    follows: text,
    /** The id of the first key of a chain of rotations; absent for that key itself. */
    firstKeyId: text,
    /** Raised by each change. Absent in the probe's keys, which never change, and in older records. */
    changeNumber: { type: 'integer' },
  },
} as const;

export type KeyRecord = RecordOf<typeof KeyRecord>;

/**
 * The key id under which the creations of a key are remembered: the same for all keys of a chain of rotations, so that
 * a request can be repeated with the successor (docs/contract.md#keys-and-plans).
 */
export const creationOwnerId = ({ id, firstKeyId = id }: Pick<KeyRecord, 'id' | 'firstKeyId'>): string => firstKeyId;

/**
 * Reads the record of a key. Strongly consistent, so that a revoked key stops at once.
 * @throws UnreadableRecord
 */
export const keyFinder =
  (db: DynamoDBDocumentClient, table: string) =>
  async (id: string): Promise<KeyRecord | undefined> => {
    const { Item } = await db.send(new GetCommand({ TableName: table, Key: { id }, ConsistentRead: true }));
    return Item && parseStored(KeyRecord, Item, `key ${id}`);
  };

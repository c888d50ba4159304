import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { parseStored, type RecordOf } from '../schemas/record-schema.ts';
import { KEY_ENVIRONMENTS, PROBE_ID_PREFIX } from './api-key.ts';
import { type Plan, type Plans, PROBE_PLAN, planNamed, windowAt } from './plans.ts';
import { KEY_SCOPES } from './scopes.ts';

const text = { type: 'string' } as const;

/** A stored API key: its hash and permissions, never the key itself. */
export const KeyRecord = {
  type: 'object',
  required: ['id', 'hash', 'name', 'plan', 'scopes', 'createdAt'],
  properties: {
    id: text,
    hash: text,
    name: text,
    /** Any text: without a plan of this name the key works by the smallest one. */
    plan: text,
    scopes: { type: 'array', items: { enum: KEY_SCOPES } },
    createdAt: text,
    /** In lower case. A line of the invoice has all keys of a customer; without one, a key and its successors. */
    customer: text,
    /** The last day on which the key is valid, Europe/London. */
    expires: { type: 'string', format: 'date' },
    /** The time from which on the key is rejected, in ISO 8601 UTC. */
    revokedAt: text,
    /** Absent in the probe's keys. */
    environment: { enum: KEY_ENVIRONMENTS },
    /** The content domains that the key is bound to, in lower case; any domain if absent. */
    domains: { type: 'array', items: text },
    /** The addresses and ranges (CIDR) from which the key may be used; any address if absent. */
    addresses: { type: 'array', items: text },
    /** The id of the key that replaced this one in a rotation. */
    successor: text,
    /** The id of the key that this one replaced. */
    follows: text,
    /** The id of the first key of a chain of rotations; absent in that key. */
    firstKeyId: text,
    /**
     * The plans that the key has had, in order, for invoices. Absent while it has had one. `since` is the start of the
     * first window with a plan, in Unix seconds.
     */
    plans: {
      type: 'array',
      items: { type: 'object', required: ['plan', 'since'], properties: { plan: text, since: { type: 'integer' } } },
    },
    /** Who created, changed, rotated and revoked the key: an ARN on AWS, otherwise a user. */
    createdBy: text,
    changedBy: text,
    rotatedBy: text,
    revokedBy: text,
    /** ISO 8601 UTC. */
    changedAt: text,
    rotatedAt: text,
    /** Incremented by each change. Absent in the probe's keys, which never change. */
    changeNumber: { type: 'integer' },
  },
} as const;

export type KeyRecord = RecordOf<typeof KeyRecord>;

/**
 * The key id under which the creations of a key are remembered: the same for all keys of a chain of rotations, so that
 * a request can be repeated with the successor (docs/contract.md#limits-keys-and-lookups).
 */
export const creationOwnerId = ({ id, firstKeyId = id }: Pick<KeyRecord, 'id' | 'firstKeyId'>): string => firstKeyId;

/** The plans that a key has had, in order, also for a key that has had one. */
export const plansOf = ({ plan, plans, createdAt }: KeyRecord): Required<KeyRecord>['plans'] =>
  plans ?? [{ plan, since: windowAt(new Date(createdAt)).start }];

export const planOf = (plans: Plans, { id, plan }: Pick<KeyRecord, 'id' | 'plan'>): Plan =>
  id.startsWith(PROBE_ID_PREFIX) ? PROBE_PLAN : planNamed(plans, plan);

/** Whether requests of a key count as units. Those of test keys and of the probe do not. */
export const hasUnits = ({ id, environment }: Pick<KeyRecord, 'id' | 'environment'>): boolean =>
  environment !== 'test' && !id.startsWith(PROBE_ID_PREFIX);

/** Strongly consistent, so that a revoked key stops at once. @throws UnreadableRecord */
export const keyFinder =
  (db: DynamoDBDocumentClient, table: string) =>
  async (id: string): Promise<KeyRecord | undefined> => {
    const { Item } = await db.send(new GetCommand({ TableName: table, Key: { id }, ConsistentRead: true }));
    return Item && parseStored(KeyRecord, Item, `key ${id}`);
  };

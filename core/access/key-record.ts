import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { parseStored, type RecordOf } from '../schemas/record-schema.ts';
import { KEY_ENVIRONMENTS, PROBE_ID_PREFIX } from './api-key.ts';
import { PLAN_NAMES, PLANS, type Plan, type PlanName, windowAt } from './plans.ts';
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
    /**
     * Every plan of the key in the order of the changes, with the Unix seconds at which its first window began. Absent until
     * the first change of plan. Any text is read: a plan that is removed from `PLANS` must make no record unreadable.
     */
    plans: {
      type: 'array',
      items: { type: 'object', required: ['plan', 'since'], properties: { plan: text, since: { type: 'integer' } } },
    },
    /** Who created, last changed, rotated and revoked the key: an ARN on AWS, otherwise a user. Absent in older records. */
    createdBy: text,
    changedBy: text,
    rotatedBy: text,
    revokedBy: text,
    /** ISO 8601 UTC. */
    changedAt: text,
    rotatedAt: text,
    /** Raised by each change. Absent in the probe's keys, which never change, and in older records. */
    changeNumber: { type: 'integer' },
  },
} as const;

export type KeyRecord = RecordOf<typeof KeyRecord>;

/**
 * The key id under which the creations of a key are remembered: the same for all keys of a chain of rotations, so that
 * a request can be repeated with the successor (docs/contract.md#limits-keys-and-lookups).
 */
export const creationOwnerId = ({ id, firstKeyId = id }: Pick<KeyRecord, 'id' | 'firstKeyId'>): string => firstKeyId;

/** Every plan of a key in the order of the changes, with the Unix seconds at which its first window began. */
export const plansOf = ({ plan, plans, createdAt }: KeyRecord): Required<KeyRecord>['plans'] =>
  plans ?? [{ plan, since: windowAt(new Date(createdAt)).start }];

/** The plan of a key in the window that began at `start`, in Unix seconds; the present one where that one was removed. */
export const planAt = (key: KeyRecord, start: number): Plan => {
  const known: Readonly<Record<string, Plan>> = PLANS;
  const plans = plansOf(key);
  const { plan = key.plan } = plans.findLast(({ since }) => since <= start) ?? plans[0] ?? {};
  return known[plan] ?? PLANS[key.plan];
};

/** Whether requests of a key have units: not in the sandbox, and not those of the probe. */
export const hasUnits = ({ id, environment }: Pick<KeyRecord, 'id' | 'environment'>): boolean =>
  environment !== 'test' && !id.startsWith(PROBE_ID_PREFIX);

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

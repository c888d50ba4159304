import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { PROBE_ID_PREFIX } from '../../core/access/api-key.ts';
import { KeyRecord, keyFinder, plansOf } from '../../core/access/key-record.ts';
import { windowAt } from '../../core/access/plans.ts';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { retryUntil } from '../../core/dynamodb/retry.ts';
import { transact } from '../../core/dynamodb/transact.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { parseStored } from '../../core/schemas/record-schema.ts';

/** Milliseconds for a change or a rotation, retries included. */
const TIMEOUT_MS = 20_000;

/** The record has changed since it was read, or a rotation is changing it: nothing was written. */
const isConflict = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException;

/** Who changes a key, and when. */
export interface ChangeOrigin {
  /** An ARN on AWS, otherwise the name of a user. */
  readonly by: string;
  readonly at: Date;
}

/** New values of fields; `null` removes the field. */
interface KeyChanges {
  readonly plan?: string | undefined;
  readonly domains?: readonly string[] | null | undefined;
}

/** How a rotation ends the old key: at once, or after a last day. */
export type EndOfKey = Required<Pick<KeyRecord, 'revokedAt' | 'revokedBy'>> | Required<Pick<KeyRecord, 'expires'>>;

/** Sets and removes fields, and increments the change number. */
const updateExpression = (changes: object) => {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const removed = given.filter(([, value]) => value === null).map(([field]) => `#${field}`);
  const set = given.filter(([, value]) => value !== null);
  const assignments = set.map(([field]) => `#${field} = :${field}`);
  const clause = (verb: string, parts: readonly string[]) => (parts.length > 0 ? [`${verb} ${parts.join(', ')}`] : []);
  return {
    UpdateExpression: [...clause('SET', assignments), ...clause('REMOVE', removed), 'ADD changeNumber :one'].join(' '),
    ExpressionAttributeNames: Object.fromEntries(given.map(([field]) => [`#${field}`, field])),
    ExpressionAttributeValues: { ':one': 1, ...Object.fromEntries(set.map(([field, value]) => [`:${field}`, value])) },
  };
};

/** Makes changes on the condition that the record has not changed since it was read. */
const updateUnchanged = ({ changeNumber }: KeyRecord, changes: object) => {
  const update = updateExpression(changes);
  if (changeNumber === undefined) {
    return { ...update, ConditionExpression: 'attribute_exists(id) AND attribute_not_exists(changeNumber)' };
  }
  const ExpressionAttributeValues = { ...update.ExpressionAttributeValues, ':read': changeNumber };
  return { ...update, ConditionExpression: 'changeNumber = :read', ExpressionAttributeValues };
};

/** The plans of a key after a change of its plan, which is valid from the window of the change. */
const plansWith = (old: KeyRecord, plan: string, at: Date): KeyRecord['plans'] =>
  plan === old.plan ? old.plans : [...plansOf(old), { plan, since: windowAt(at).start }];

export class UnknownApiKey extends Error {
  override readonly name = 'UnknownApiKey';

  constructor(id: string) {
    super(`no key has the id ${id}`);
  }
}

export class RevokedApiKey extends Error {
  override readonly name = 'RevokedApiKey';

  constructor(id: string, revokedAt: string) {
    super(`key ${id} was revoked at ${revokedAt} and cannot be changed: create a new one with "keys create"`);
  }
}

/**
 * The table of API keys, for operators.
 * @param readName makes a stored name printable: an older one may have characters that are not
 */
export const keyStore = (db: DynamoDBDocumentClient, table: string, readName = (stored: string) => stored) => {
  const withReadName = (record: KeyRecord): KeyRecord => ({ ...record, name: readName(record.name) });

  const parseRecord = (item: unknown, id: unknown): KeyRecord =>
    withReadName(parseStored(KeyRecord, item, `key ${id}`));

  const findStored = keyFinder(db, table);

  const find = async (id: string): Promise<KeyRecord | undefined> => {
    const record = await findStored(id);
    return record && withReadName(record);
  };

  const get = async (id: string): Promise<KeyRecord> => {
    const record = await find(id);
    if (record === undefined) throw new UnknownApiKey(id);
    return record;
  };

  /** Changes a record, unless `changesOf` returns undefined. Reads it again when it has changed meanwhile. */
  const change = (id: string, changesOf: (old: KeyRecord) => object | undefined): Promise<KeyRecord> => {
    const attempt = async () => {
      const old = await get(id);
      const changes = changesOf(old);
      if (changes === undefined) return old;
      const update = { TableName: table, Key: { id }, ...updateUnchanged(old, changes) };
      const { Attributes } = await db.send(new UpdateCommand({ ...update, ReturnValues: 'ALL_NEW' }));
      return parseRecord(Attributes, id);
    };
    return retryUntil(deadlineIn(TIMEOUT_MS), attempt, isConflict);
  };

  /** Puts a record where there is none. A restored one gets a new change number too. */
  const newItem = (item: DynamoItem) => ({
    TableName: table,
    Item: { ...item, changeNumber: Number(item.changeNumber ?? 0) + 1 },
    ConditionExpression: 'attribute_not_exists(id)',
  });

  /** Whether a write succeeded whose response was lost. Keys are random: the same hash is the same record. */
  const isStored = async ({ id, hash }: KeyRecord): Promise<boolean> =>
    (await find(id).catch(() => undefined))?.hash === hash;

  const listStored = async (): Promise<DynamoItem[]> => {
    const items: DynamoItem[] = [];
    for await (const page of paginateScan({ client: db }, { TableName: table, ConsistentRead: true })) {
      items.push(...(page.Items ?? []));
    }
    return items.filter(({ id }) => !String(id).startsWith(PROBE_ID_PREFIX));
  };

  return {
    find,

    /** @throws UnknownApiKey */
    get,

    /** Every record but the probe's, with attributes that another version of this service added. */
    listStored,

    add: async (record: KeyRecord): Promise<void> => {
      try {
        await db.send(new PutCommand(newItem(record)));
      } catch (error) {
        if (!(await isStored(record))) throw error;
      }
    },

    /** Every key but the probe's, oldest first. */
    list: async (): Promise<KeyRecord[]> =>
      (await listStored())
        .map((item) => parseRecord(item, item.id))
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt)),

    /** Stores a record that is missing, never an existing one: that may be revoked. @returns whether it was missing */
    addMissing: async (item: DynamoItem): Promise<boolean> => {
      try {
        await db.send(new PutCommand(newItem(item)));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },

    /** Revoking twice keeps the first revocation. @throws UnknownApiKey */
    revoke: (id: string, { by, at }: ChangeOrigin): Promise<KeyRecord> =>
      change(id, ({ revokedAt }) =>
        revokedAt === undefined ? { revokedAt: at.toISOString(), revokedBy: by } : undefined,
      ),

    /** Makes all the changes or none. @throws UnknownApiKey, RevokedApiKey */
    update: (id: string, { plan, domains }: KeyChanges, { by, at }: ChangeOrigin): Promise<KeyRecord> =>
      change(id, (old) => {
        if (old.revokedAt !== undefined) throw new RevokedApiKey(id, old.revokedAt);
        return {
          ...(plan !== undefined && { plan, plans: plansWith(old, plan, at) }),
          domains,
          changedAt: at.toISOString(),
          changedBy: by,
        };
      }),

    /**
     * Stores a successor and ends the old key, in one transaction.
     * @returns false, with nothing written, when the old key has changed since it was read
     */
    rotate: async (old: KeyRecord, end: EndOfKey, successor: KeyRecord): Promise<boolean> => {
      const { id: successorId, createdAt: rotatedAt, createdBy: rotatedBy } = successor;
      const changes = { ...end, successor: successorId, rotatedAt, rotatedBy };
      const Update = { TableName: table, Key: { id: old.id }, ...updateUnchanged(old, changes) };
      try {
        return (await transact(db, [{ Update }, { Put: newItem(successor) }], deadlineIn(TIMEOUT_MS))).committed;
      } catch (error) {
        if (await isStored(successor)) return true;
        throw error;
      }
    },
  };
};

export type KeyStore = ReturnType<typeof keyStore>;

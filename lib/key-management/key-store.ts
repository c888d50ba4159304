import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { PROBE_ID_PREFIX } from '../../core/access/api-key.ts';
import { KeyRecord, keyFinder, plansOf } from '../../core/access/key-record.ts';
import { type PlanName, windowAt } from '../../core/access/plans.ts';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { retryUntil } from '../../core/dynamodb/retry.ts';
import { transact } from '../../core/dynamodb/transact.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { parseStored } from '../../core/schemas/record-schema.ts';

/** Milliseconds for a change or a rotation, retries included. */
const TIMEOUT_MS = 20_000;

/** What every change of a record does, with `:one` as 1. */
const RAISE = 'ADD changeNumber :one';

/** Whether the record has changed since it was read, or met a rotation: nothing was written then. */
const isConflict = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException;

/** Who changes a key, and when. */
export interface Change {
  /** An ARN on AWS, otherwise the name of a user. */
  readonly by: string;
  readonly at: Date;
}

/** New values of fields; `null` removes the field. */
export interface KeyChanges {
  readonly plan?: PlanName | undefined;
  readonly domains?: readonly string[] | null | undefined;
}

/** How a rotation ends the old key: at once, or after a last day. */
export type EndOfKey = Required<Pick<KeyRecord, 'revokedAt' | 'revokedBy'>> | Required<Pick<KeyRecord, 'expires'>>;

/** Sets and removes fields, and raises the number of changes. */
const updateExpression = (changes: object) => {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const removed = given.filter(([, value]) => value === null);
  const set = given.filter(([, value]) => value !== null);
  const clause = (verb: string, parts: readonly string[]) => (parts.length > 0 ? [`${verb} ${parts.join(', ')}`] : []);
  const setFields = set.map(([field]) => `#${field} = :${field}`);
  const removedFields = removed.map(([field]) => `#${field}`);
  return {
    UpdateExpression: [...clause('SET', setFields), ...clause('REMOVE', removedFields), RAISE].join(' '),
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

/** The plans of a key that is put on this one, from the window of the change on. */
const plansWith = (old: KeyRecord, plan: PlanName, at: Date): KeyRecord['plans'] =>
  plan === old.plan ? old.plans : [...plansOf(old), { plan, since: windowAt(at).start }];

/** No key has this id. */
export class UnknownKey extends Error {
  override readonly name = 'UnknownKey';

  constructor(id: string) {
    super(`no key has the id ${id}`);
  }
}

/**
 * The table of API keys: `keyFinder` of core/, and what only operators do.
 * @param readName what a record's name is read as; an older name may have characters that cannot be printed
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
    if (record === undefined) throw new UnknownKey(id);
    return record;
  };

  /** Changes a record; `changesOf` is asked again when somebody else has changed it meanwhile. Undefined changes nothing. */
  const change = (id: string, changesOf: (old: KeyRecord) => object | undefined): Promise<KeyRecord> =>
    retryUntil(
      deadlineIn(TIMEOUT_MS),
      async () => {
        const old = await get(id);
        const changes = changesOf(old);
        if (changes === undefined) return old;
        const update = { TableName: table, Key: { id }, ...updateUnchanged(old, changes) };
        const { Attributes } = await db.send(new UpdateCommand({ ...update, ReturnValues: 'ALL_NEW' }));
        return parseRecord(Attributes, id);
      },
      isConflict,
    );

  /** A record that is put where there is none. That is a change, also where it is restored. */
  const newItem = (item: DynamoItem) => ({
    TableName: table,
    Item: { ...item, changeNumber: Number(item.changeNumber ?? 0) + 1 },
    ConditionExpression: 'attribute_not_exists(id)',
  });

  /** Whether a write was made whose response was lost. Keys are random: a record with the same hash is this one. */
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

    /** @throws UnknownKey */
    get,

    /** Every record but the probe's as it is stored, with the attributes that another version of this service added. */
    listStored,

    /** Stores a new key. */
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

    /**
     * Copies a record as it is stored in a table of keys. A key that is there already is never changed: it may have been
     * revoked since.
     * @returns whether the key was missing
     */
    addMissing: async (item: DynamoItem): Promise<boolean> => {
      try {
        await db.send(new PutCommand(newItem(item)));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },

    /** Revoking twice keeps who did it first, and when. @throws UnknownKey */
    revoke: (id: string, { by, at }: Change): Promise<KeyRecord> =>
      change(id, ({ revokedAt }) =>
        revokedAt === undefined ? { revokedAt: at.toISOString(), revokedBy: by } : undefined,
      ),

    /** Makes all the changes or none. A plan begins with the window of the change. @throws UnknownKey */
    update: (id: string, { plan, domains }: KeyChanges, { by, at }: Change): Promise<KeyRecord> =>
      change(id, (old) => ({
        ...(plan !== undefined && { plan, plans: plansWith(old, plan, at) }),
        domains,
        changedAt: at.toISOString(),
        changedBy: by,
      })),

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

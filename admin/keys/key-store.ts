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
import { CommandFailure } from '../command/command-result.ts';

/** Milliseconds for a change or a rotation, retries included. */
const TIMEOUT_MS = 20_000;

/** Whether the record has changed since it was read, or a rotation is changing it. Nothing was written then. */
const isConcurrentChange = (error: unknown): boolean =>
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

/**
 * The input of an update that sets and removes fields and increments the change number. The update fails when the
 * record has changed since it was read.
 */
const updateInput = ({ changeNumber }: KeyRecord, changes: object) => {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const removed = given.filter(([, value]) => value === null).map(([field]) => `#${field}`);
  const set = given.filter(([, value]) => value !== null);
  const assignments = set.map(([field]) => `#${field} = :${field}`);
  const values = Object.fromEntries(set.map(([field, value]) => [`:${field}`, value]));
  return {
    UpdateExpression: [
      ...(assignments.length > 0 ? [`SET ${assignments.join(', ')}`] : []),
      ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
      'ADD changeNumber :one',
    ].join(' '),
    // The probe's keys have no change number.
    ConditionExpression:
      changeNumber === undefined
        ? 'attribute_exists(id) AND attribute_not_exists(changeNumber)'
        : 'changeNumber = :read',
    ExpressionAttributeNames: Object.fromEntries(given.map(([field]) => [`#${field}`, field])),
    ExpressionAttributeValues: { ...values, ':one': 1, ...(changeNumber !== undefined && { ':read': changeNumber }) },
  };
};

/** The plans of a key after its plan changes, which takes effect from the window of the change. */
const plansWith = (old: KeyRecord, plan: string, at: Date): KeyRecord['plans'] =>
  plan === old.plan ? old.plans : [...plansOf(old), { plan, since: windowAt(at).start }];

/** The table of API keys, for operators. */
export const keyStore = (db: DynamoDBDocumentClient, table: string) => {
  const find = keyFinder(db, table);

  const get = async (id: string): Promise<KeyRecord> => {
    const record = await find(id);
    if (record === undefined) throw new CommandFailure(`no key has the id ${id}`);
    return record;
  };

  /** Changes a record, unless `changesOf` returns undefined. Reads it again when it has changed meanwhile. */
  const change = (id: string, changesOf: (old: KeyRecord) => object | undefined): Promise<KeyRecord> => {
    const attempt = async () => {
      const old = await get(id);
      const changes = changesOf(old);
      if (changes === undefined) return old;
      const update = { TableName: table, Key: { id }, ...updateInput(old, changes) };
      const { Attributes } = await db.send(new UpdateCommand({ ...update, ReturnValues: 'ALL_NEW' }));
      return parseStored(KeyRecord, Attributes, `key ${id}`);
    };
    return retryUntil(deadlineIn(TIMEOUT_MS), attempt, isConcurrentChange);
  };

  /** The input of a put. It gives the record a new change number, also when the record is restored. */
  const putInput = (item: DynamoItem) => ({
    TableName: table,
    Item: { ...item, changeNumber: Number(item.changeNumber ?? 0) + 1 },
  });

  /** Every record but the probe's, with attributes that another version of this service added. */
  const listStored = async (): Promise<DynamoItem[]> => {
    const pages = paginateScan({ client: db }, { TableName: table, ConsistentRead: true });
    const items = (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items);
    return items.filter(({ id }) => !String(id).startsWith(PROBE_ID_PREFIX));
  };

  return {
    find,

    /** @throws CommandFailure when there is no such key */
    get,

    listStored,

    /**
     * Stores a new record without a condition, so that a retry after a lost response succeeds. Keys are random, and so
     * are their ids.
     */
    add: async (record: KeyRecord): Promise<void> => {
      await db.send(new PutCommand(putInput(record)));
    },

    /** Every key but the probe's, oldest first. */
    list: async (): Promise<KeyRecord[]> =>
      (await listStored())
        .map((item) => parseStored(KeyRecord, item, `key ${item.id}`))
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt)),

    /**
     * Stores a record that is missing. An existing record is never replaced, because it may be revoked. @returns
     * whether the record was missing
     */
    addMissing: async (item: DynamoItem): Promise<boolean> => {
      try {
        await db.send(new PutCommand({ ...putInput(item), ConditionExpression: 'attribute_not_exists(id)' }));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },

    /** Revoking twice keeps the first revocation. @throws CommandFailure when there is no such key */
    revoke: (id: string, { by, at }: ChangeOrigin): Promise<KeyRecord> =>
      change(id, ({ revokedAt }) =>
        revokedAt === undefined ? { revokedAt: at.toISOString(), revokedBy: by } : undefined,
      ),

    /** Makes all the changes or none. @throws CommandFailure when there is no such key, or it is revoked */
    update: (id: string, { plan, domains }: KeyChanges, { by, at }: ChangeOrigin): Promise<KeyRecord> =>
      change(id, (old) => {
        if (old.revokedAt !== undefined) {
          throw new CommandFailure(
            `key ${id} was revoked at ${old.revokedAt} and cannot be changed: create a new one with "keys create"`,
          );
        }
        return {
          ...(plan !== undefined && { plan, plans: plansWith(old, plan, at) }),
          domains,
          changedAt: at.toISOString(),
          changedBy: by,
        };
      }),

    /**
     * Stores a successor and ends the old key, in one transaction.
     * @throws CommandFailure, with nothing written, when the old key has changed since it was read
     */
    rotate: async (old: KeyRecord, end: EndOfKey, successor: KeyRecord): Promise<void> => {
      const { id: successorId, createdAt: rotatedAt, createdBy: rotatedBy } = successor;
      const changes = { ...end, successor: successorId, rotatedAt, rotatedBy };
      const Update = { TableName: table, Key: { id: old.id }, ...updateInput(old, changes) };
      const { committed } = await transact(db, [{ Update }, { Put: putInput(successor) }], deadlineIn(TIMEOUT_MS));
      if (!committed) throw new CommandFailure(`key ${old.id} was changed meanwhile, so nothing was done: try again`);
    },
  };
};

export type KeyStore = ReturnType<typeof keyStore>;

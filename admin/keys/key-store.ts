import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { PROBE_ID_PREFIX } from '../../core/access/api-key.ts';
import { KeyRecord, plansOf } from '../../core/access/key-record.ts';
import { windowAt } from '../../core/access/plans.ts';
import type { DynamoItem } from '../../core/aws/database.ts';
import { retryUntil } from '../../core/aws/retry.ts';
import { transact } from '../../core/aws/transact.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { parseStored } from '../../core/schemas/record-schema.ts';
import { CommandFailure } from '../command/command-result.ts';

/** Milliseconds for a change or a rotation, retries included. */
const TIMEOUT_MS = 20_000;

/** Whether the record has changed since it was read, or a rotation is changing it. Nothing was written then. */
const isConcurrentChange = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException;

export interface ChangeOrigin {
  /** An ARN on AWS, otherwise the name of a user. */
  readonly by: string;
  readonly at: Date;
}

/** False takes a customer, domains, addresses or a last day away. */
export type KeyChanges = Partial<Pick<KeyRecord, 'plan'>> & {
  readonly [Field in 'customer' | 'domains' | 'addresses' | 'expires']?: Required<KeyRecord>[Field] | false;
};

/** The condition of a change: the record is still as it was read. The probe's keys have no change number. */
const ifUnchanged = ({ changeNumber }: KeyRecord) =>
  changeNumber === undefined
    ? { ConditionExpression: 'attribute_exists(id) AND attribute_not_exists(changeNumber)' }
    : { ConditionExpression: 'changeNumber = :read', ExpressionAttributeValues: { ':read': changeNumber } };

/** The plans of a key after its plan changes, which takes effect from the window of the change. */
const plansWith = (old: KeyRecord, plan: string, at: Date): KeyRecord['plans'] =>
  plan === old.plan ? old.plans : [...plansOf(old), { plan, since: windowAt(at).start }];

export const keyStore = (db: DynamoDBDocumentClient, table: string) => {
  /**
   * The whole record, also with attributes that another version of this service added.
   * @throws CommandFailure when there is no such key
   */
  const get = async (id: string): Promise<KeyRecord> => {
    const { Item } = await db.send(new GetCommand({ TableName: table, Key: { id }, ConsistentRead: true }));
    if (Item === undefined) throw new CommandFailure(`no key has the id ${id}`);
    return { ...Item, ...parseStored(KeyRecord, Item, `key ${id}`) };
  };

  /** The input of a put. It gives the record a new change number, also when the record is restored. */
  const putInput = <Item extends DynamoItem | KeyRecord>(item: Item) => ({
    TableName: table,
    Item: { ...item, changeNumber: Number(item.changeNumber ?? 0) + 1 },
  });

  /** Changes a record, unless `changesOf` returns undefined. Reads it again when it has changed meanwhile. */
  const change = (id: string, changesOf: (old: KeyRecord) => object | undefined): Promise<KeyRecord> => {
    const attempt = async () => {
      const old = await get(id);
      const changes = changesOf(old);
      if (changes === undefined) return old;
      const input = putInput({ ...old, ...changes });
      await db.send(new PutCommand({ ...input, ...ifUnchanged(old) }));
      return input.Item;
    };
    return retryUntil(deadlineIn(TIMEOUT_MS), attempt, isConcurrentChange);
  };

  /** Every record but the probe's, with attributes that another version of this service added. */
  const listStored = async (): Promise<DynamoItem[]> => {
    const pages = paginateScan({ client: db }, { TableName: table, ConsistentRead: true });
    const items = (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items);
    return items.filter(({ id }) => !String(id).startsWith(PROBE_ID_PREFIX));
  };

  return {
    get,
    listStored,

    /** Has no condition, so that a retry after a lost response succeeds. Keys and their ids are random. */
    add: async (record: KeyRecord): Promise<void> => {
      await db.send(new PutCommand(putInput(record)));
    },

    /** Every key but the probe's, oldest first. */
    list: async (): Promise<KeyRecord[]> =>
      (await listStored())
        .map((item) => parseStored(KeyRecord, item, `key ${item.id}`))
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt)),

    /** An existing record is never replaced, because it may be revoked. @returns whether it was missing */
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
    update: (
      id: string,
      { plan, customer, domains, addresses, expires }: KeyChanges,
      { by, at }: ChangeOrigin,
    ): Promise<KeyRecord> =>
      change(id, (old) => {
        if (old.revokedAt !== undefined) {
          throw new CommandFailure(
            `key ${id} was revoked at ${old.revokedAt} and cannot be changed: create a new one with "keys create"`,
          );
        }
        // A rotation has ended it for good, and a report takes the customer from the newest key.
        if ((expires ?? customer) !== undefined && old.successor !== undefined) {
          throw new CommandFailure(
            `key ${id} was rotated: change last day and customer of its successor ${old.successor} instead`,
          );
        }
        return {
          ...(plan !== undefined && { plan, plans: plansWith(old, plan, at) }),
          customer: (customer ?? old.customer) || undefined,
          domains: (domains ?? old.domains) || undefined,
          addresses: (addresses ?? old.addresses) || undefined,
          expires: (expires ?? old.expires) || undefined,
          changedAt: at.toISOString(),
          changedBy: by,
        };
      }),

    /**
     * Stores a successor and ends the old key, at once or after a last day, in one transaction.
     * @returns the old key as it is now
     * @throws CommandFailure, with nothing written, when the old key has changed since it was read
     */
    rotate: async (old: KeyRecord, end: Partial<KeyRecord>, successor: KeyRecord): Promise<KeyRecord> => {
      const { id: successorId, createdAt: rotatedAt, createdBy } = successor;
      const rotatedBy = createdBy !== undefined && { rotatedBy: createdBy };
      const ended = { ...old, ...end, successor: successorId, rotatedAt, ...rotatedBy };
      const Put = { ...putInput(ended), ...ifUnchanged(old) };
      const { committed } = await transact(db, [{ Put }, { Put: putInput(successor) }], deadlineIn(TIMEOUT_MS));
      if (!committed) throw new CommandFailure(`key ${old.id} was changed meanwhile, so nothing was done: try again`);
      return ended;
    },
  };
};

export type KeyStore = ReturnType<typeof keyStore>;

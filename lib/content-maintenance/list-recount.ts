/**
 * Recounts and repairs the buckets of counted lists while the service runs. A recount is valid when the counter's change
 * number is the same before and after it. A counter is set only while it still has that change number.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { ContentStore } from '../../core/content/content-entries.ts';
import { bucketOf } from '../../core/counted-list/entries.ts';
import type { TransactWrite } from '../../core/dynamodb/transact.ts';

/** A bucket whose counter and members differ. */
export interface Miscount {
  readonly list: string;
  readonly bucket: number;
  readonly counter: number;
  readonly members: number;
  /** The counter's change number; undefined without a counter or with one of an early version. */
  readonly changes: number | undefined;
}

/** The result of a recount: `busy` when the bucket changed during every attempt. */
export type Recount = Miscount | 'right' | 'busy';

/** Attempts to count a bucket that others change. */
const MAX_ATTEMPTS = 100;
/**
 * Milliseconds between the two recounts that confirm a miscount. A query can see a transaction half applied; by the second
 * recount it is applied.
 */
const BETWEEN_RECOUNTS_MS = 50;

type Counter = Pick<Miscount, 'counter' | 'changes'>;

const isSame = (one: Counter, other: Counter): boolean =>
  one.changes === other.changes && one.counter === other.counter;

const excess = ({ counter, members }: Miscount): number => counter - members;

/** Recounts buckets of one environment's lists. */
export const listRecount = ({ db, table, keys: { counterKey, memberPartition } }: ContentStore) => {
  const readCounter = async (list: string, bucket: number): Promise<Counter> => {
    const Key = counterKey(list, bucket);
    const { Item } = await db.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
    const { members = 0, changes } = Item ?? {};
    return { counter: Number(members), changes: changes === undefined ? undefined : Number(changes) };
  };

  const countMembers = async (list: string, bucket: number): Promise<number> => {
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': memberPartition(list, bucket) },
      ConsistentRead: true,
      Select: 'COUNT' as const,
    };
    let members = 0;
    for await (const { Count = 0 } of paginateQuery({ client: db }, query)) members += Count;
    return members;
  };

  return {
    /** Compares the bucket's counter with its members. Two valid recounts must find the same difference. */
    recount: async (list: string, bucket: number): Promise<Recount> => {
      let last: Miscount | undefined;
      let before = await readCounter(list, bucket);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const members = await countMembers(list, bucket);
        const after = await readCounter(list, bucket);
        const isValid = isSame(before, after);
        before = after;
        if (!isValid) continue;
        const found = { list, bucket, members, ...after };
        if (excess(found) === 0) return 'right';
        if (last !== undefined && excess(last) === excess(found)) return found;
        last = found;
        await sleep(BETWEEN_RECOUNTS_MS);
        before = await readCounter(list, bucket);
      }
      return 'busy';
    },
  };
};

/** Increments the change number only. Whether the counter includes the member is for a recount to find. */
const noteChange = ({ table, keys }: ContentStore, list: string, position: number): TransactWrite => ({
  Update: {
    TableName: table,
    Key: keys.counterKey(list, bucketOf(position)),
    UpdateExpression: 'ADD members :none, changes :one',
    ExpressionAttributeValues: { ':none': 0, ':one': 1 },
  },
});

/** The single writes of which list repairs are composed. */
export const listRepairs = (store: ContentStore) => ({
  /** Sets a counter to the number of members. Fails when the bucket has changed since the recount. */
  setCounter: ({ list, bucket, counter, members, changes }: Miscount): TransactWrite => ({
    Update: {
      TableName: store.table,
      Key: store.keys.counterKey(list, bucket),
      UpdateExpression: 'SET members = :members ADD changes :one',
      ConditionExpression:
        changes === undefined
          ? 'attribute_not_exists(changes) AND (members = :seen OR attribute_not_exists(members))'
          : 'changes = :seen',
      ExpressionAttributeValues: { ':members': members, ':one': 1, ':seen': changes ?? counter },
    },
  }),

  /** Adds a missing member. Its bucket must be recounted afterwards. */
  restoreMember: (list: string, position: number, id: string): TransactWrite[] => [
    {
      Put: {
        TableName: store.table,
        Item: { ...store.keys.memberKey(list, position), member: id },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    noteChange(store, list, position),
  ],

  /** Removes an orphaned member. Its bucket must be recounted afterwards. */
  dropMember: (list: string, position: number, id: string): TransactWrite[] => [
    {
      Delete: {
        TableName: store.table,
        Key: store.keys.memberKey(list, position),
        ConditionExpression: '#member = :id',
        ExpressionAttributeNames: { '#member': 'member' },
        ExpressionAttributeValues: { ':id': id },
      },
    },
    noteChange(store, list, position),
  ],

  /** Advances the position allocator past every used position. */
  advanceAllocator: (list: string, allocated: number): TransactWrite => ({
    Update: {
      TableName: store.table,
      Key: store.keys.allocatorKey(list),
      UpdateExpression: 'SET allocated = :allocated',
      ConditionExpression: 'attribute_not_exists(allocated) OR allocated < :allocated',
      ExpressionAttributeValues: { ':allocated': allocated },
    },
  }),
});

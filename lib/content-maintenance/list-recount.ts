/**
 * Recounts the buckets of counted lists while the service runs. A recount is valid when the counter's change number is the
 * same before and after it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { ContentStore } from '../../core/content/content-entries.ts';

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

const excess = ({ counter, members }: Miscount): number => counter - members;

/**
 * Compares a bucket's counter with its members. Two valid recounts must find the same difference.
 */
export const recount = async (
  { db, table, keys: { counterKey, memberPartition } }: ContentStore,
  list: string,
  bucket: number,
): Promise<Recount> => {
  const readCounter = async (): Promise<Counter> => {
    const Key = counterKey(list, bucket);
    const { Item } = await db.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
    const { members = 0, changes } = Item ?? {};
    return { counter: Number(members), changes: changes === undefined ? undefined : Number(changes) };
  };

  const countMembers = async (): Promise<number> => {
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

  let last: Miscount | undefined;
  let before = await readCounter();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const members = await countMembers();
    const after = await readCounter();
    const isValid = before.changes === after.changes && before.counter === after.counter;
    before = after;
    if (!isValid) continue;
    const found = { list, bucket, members, ...after };
    if (excess(found) === 0) return 'right';
    if (last !== undefined && excess(last) === excess(found)) return found;
    last = found;
    await sleep(BETWEEN_RECOUNTS_MS);
    before = await readCounter();
  }
  return 'busy';
};

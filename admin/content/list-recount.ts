/** Recounts buckets while the service runs: valid when the counter's change number is the same before and after. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { paginateQuery, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import type { ContentStore } from '../../core/content/content-store.ts';
import { retryUntil } from '../../core/dynamodb/retry.ts';
import { isTransient } from '../../core/dynamodb/transact.ts';
import { DeadlineExceeded, deadlineIn } from '../../core/runtime/deadline.ts';

/** A bucket whose counter and members differ. */
export interface Miscount {
  readonly list: string;
  readonly bucket: number;
  readonly counter: number;
  readonly members: number;
  /** The counter's change number; undefined without a counter. */
  readonly changes: number | undefined;
}

/** The result of a recount: `busy` when the bucket changed during every attempt. */
type Recount = Miscount | 'right' | 'busy';

const MAX_ATTEMPTS = 100;
/** Milliseconds for all attempts. */
const TIMEOUT_MS = 30_000;

/** Compares a bucket's counter with its members. @throws DeadlineExceeded when the database does not answer */
export const recount = async (
  { db, table, keys: { counterKey, memberPartition } }: ContentStore,
  list: string,
  bucket: number,
): Promise<Recount> => {
  const deadline = deadlineIn(TIMEOUT_MS);

  /** In a transaction, which DynamoDB cancels while another one changes the bucket: a query could see half of it. */
  const readCounter = async (): Promise<Pick<Miscount, 'counter' | 'changes'>> => {
    const TransactItems = [{ Get: { TableName: table, Key: counterKey(list, bucket) } }];
    const read = () => db.send(new TransactGetCommand({ TransactItems }));
    const { Responses: [counter] = [] } = await retryUntil(deadline, read, isTransient);
    const { members = 0, changes } = counter?.Item ?? {};
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

  try {
    let before = await readCounter();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const members = await countMembers();
      const after = await readCounter();
      if (before.changes === after.changes)
        return members === after.counter ? 'right' : { list, bucket, members, ...after };
      before = after;
    }
  } catch (error) {
    // The last attempt to read the counter met a transaction.
    if (!(error instanceof DeadlineExceeded && error.cause instanceof TransactionCanceledException)) throw error;
  }
  return 'busy';
};

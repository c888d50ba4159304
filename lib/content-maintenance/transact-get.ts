import { type AttributeValue, type DynamoDBClient, type Get, TransactGetItemsCommand } from '@aws-sdk/client-dynamodb';
import { retryUntil } from '../../functions/dynamodb/retry.ts';
import { isTransient } from '../../functions/dynamodb/transact.ts';
import type { Deadline } from '../../functions/runtime/deadline.ts';

/**
 * Reads items as they are at one moment, in the order of `gets`; undefined where there is none. Reads one by one, and
 * queries, may see a transaction half applied. Retries like `transact`.
 * @throws DeadlineExceeded
 */
export const transactGet = (
  db: DynamoDBClient,
  gets: readonly Get[],
  deadline: Deadline,
): Promise<(Record<string, AttributeValue> | undefined)[]> =>
  retryUntil(
    deadline,
    async () => {
      const { Responses = [] } = await db.send(
        new TransactGetItemsCommand({ TransactItems: gets.map((get) => ({ Get: get })) }),
      );
      return Responses.map(({ Item }) => Item);
    },
    isTransient,
  );

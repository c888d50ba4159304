import { type DynamoDBDocumentClient, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../functions/dynamodb/database.ts';
import { retryUntil } from '../../functions/dynamodb/retry.ts';
import { isTransient } from '../../functions/dynamodb/transact.ts';
import type { Deadline } from '../../functions/runtime/deadline.ts';

/**
 * Reads items as they are at one moment, in the order of `gets`; undefined where there is none. Single reads and queries
 * may see a transaction half applied. Retries like `transact`.
 * @throws DeadlineExceeded
 */
export const transactGet = (
  db: DynamoDBDocumentClient,
  gets: readonly { readonly TableName: string; readonly Key: Item }[],
  deadline: Deadline,
): Promise<(Item | undefined)[]> =>
  retryUntil(
    deadline,
    async () => {
      const { Responses = [] } = await db.send(
        new TransactGetCommand({ TransactItems: gets.map((get) => ({ Get: get })) }),
      );
      return Responses.map(({ Item }) => Item);
    },
    isTransient,
  );

import { BatchGetItemCommand, BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from '@jest/globals';
import { clientOf } from '../support/engine.ts';
import { always } from '../support/fault-choosers.ts';
import { testApi } from '../support/test-api.ts';

const api = testApi();

/**
 * A batch that the proxy leaves whole would pass every test of partial ones. What other faults do is seen in the responses
 * (matrix.faults.ts) and in what is counted (rate-limit.faults.ts); cancelled transactions: test/dynamodb/retries.test.ts.
 */
it('A partial batch is the first half, over tables, and its response has the rest as it was requested', async () => {
  const { vehicles, compliance } = api.engine.names;
  const db = clientOf(api.faults.endpoint);
  api.faults.inject(always('partial'));
  const items = ['A', 'B', 'C', 'D', 'E'].map((letter) => ({ registration: { S: letter } }));
  const writes = items.map((Item) => ({ PutRequest: { Item } }));
  const written = await db.send(new BatchWriteItemCommand({ RequestItems: { [vehicles]: writes } }));
  expect(written.UnprocessedItems).toEqual({ [vehicles]: writes.slice(3) });

  const other = { Keys: items.slice(0, 1), ConsistentRead: true, ProjectionExpression: 'registration' };
  const RequestItems = { [vehicles]: { Keys: items }, [compliance]: other };
  const read = await db.send(new BatchGetItemCommand({ RequestItems }));
  expect(read.Responses?.[vehicles]).toEqual(expect.arrayContaining(items.slice(0, 3)));
  expect(read.Responses?.[vehicles]).toHaveLength(3);
  expect(read.UnprocessedKeys).toEqual({ [vehicles]: { Keys: items.slice(3) }, [compliance]: other });
  expect(api.faults.calls).toMatchObject([
    { operation: 'BatchWriteItem', tables: [vehicles], fault: 'partial' },
    { operation: 'BatchGetItem', tables: [vehicles, compliance], fault: 'partial' },
  ]);
  db.destroy();
});

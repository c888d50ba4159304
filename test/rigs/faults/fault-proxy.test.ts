import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from '@jest/globals';
import { clientOf } from '../../support/engine.ts';
import { always } from '../../support/fault-choosers.ts';
import { testApi } from '../../support/test-api.ts';

const api = testApi();

/**
 * A batch that the proxy leaves whole would pass every test of partial ones. Batches of reads: test/api/lookups.test.ts and
 * test/dynamodb/retries.test.ts, as cancelled transactions. What other faults do is seen in the responses (matrix.faults.ts) and
 * in what is counted (rate-limit.faults.ts).
 */
it('A partial batch of writes is the first half, and its response has the rest as it was requested', async () => {
  const { vehicles } = api.engine.names;
  const db = clientOf(api.faults.endpoint);
  api.faults.inject(always('partial'));
  const items = ['A', 'B', 'C', 'D', 'E'].map((letter) => ({ registration: { S: letter } }));
  const writes = items.map((Item) => ({ PutRequest: { Item } }));
  const written = await db.send(new BatchWriteItemCommand({ RequestItems: { [vehicles]: writes } }));
  expect(written.UnprocessedItems).toEqual({ [vehicles]: writes.slice(3) });
  expect(api.faults.calls).toMatchObject([{ operation: 'BatchWriteItem', tables: [vehicles], fault: 'partial' }]);
  db.destroy();
});

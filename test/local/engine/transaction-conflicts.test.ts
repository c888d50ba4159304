import { randomUUID } from 'node:crypto';
import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { prefixedTableNames } from '../../../core/tables.ts';
import { createTables } from '../../../lib/local/engine/create-tables.ts';
import { type Engine, startEmbeddedEngine } from '../../../lib/local/engine/embedded.ts';
import { clientOf } from '../../support/engine.ts';
import { withConflicts } from '../../support/transaction-conflicts.ts';
import { add, errorOf, itemOf, keyOf, put, read, remove, requirePresent, write } from './writes.ts';

const names = prefixedTableNames('conflicts-');
const table = names.keys;
const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
let engine: Engine;
let client: DynamoDBDocumentClient;

beforeAll(async () => {
  const transactionTime = () => {
    started.resolve();
    return ended.promise;
  };
  engine = await startEmbeddedEngine({ port: 0, intercept: withConflicts(transactionTime) });
  client = clientOf(engine.endpoint, { maxAttempts: 1 });
  await createTables(client, names);
});
afterAll(async () => {
  client.destroy();
  await engine.close();
});

it('While a transaction takes its time, other writes of its items conflict, and reads see what it wrote', async () => {
  const [written, checked, other] = [randomUUID(), randomUUID(), randomUUID()];
  await client.send(new PutItemCommand({ TableName: table, Item: itemOf(checked) }));
  const transaction = write(client, [add(table, written, 1), requirePresent(table, checked)]);
  await started.promise;
  expect(
    await errorOf(write(client, [put(table, other), put(table, written), remove(table, randomUUID())])),
  ).toMatchObject({
    name: 'TransactionCanceledException',
    message: expect.stringContaining('[None, TransactionConflict, None]'),
    CancellationReasons: [
      { Code: 'None' },
      { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' },
      { Code: 'None' },
    ],
  });
  for (const single of [
    client.send(new PutItemCommand({ TableName: table, Item: itemOf(written) })),
    client.send(new UpdateItemCommand({ TableName: table, Key: keyOf(written) })),
    client.send(new DeleteItemCommand({ TableName: table, Key: keyOf(checked) })),
  ])
    expect(await errorOf(single)).toMatchObject({ name: 'TransactionConflictException', $fault: 'client' });
  await client.send(new PutItemCommand({ TableName: table, Item: itemOf(other) }));
  expect(await read(client, table, written)).toEqual({ ...keyOf(written), amount: { N: '1' } });
  ended.resolve();
  await transaction;
  // A transaction that fails holds its items no longer, either.
  const failing = write(client, [requirePresent(table, randomUUID()), remove(table, written)]);
  expect(await errorOf(failing)).toMatchObject({ CancellationReasons: [{ Code: 'ConditionalCheckFailed' }, {}] });
  await write(client, [remove(table, written), remove(table, checked)]);
  expect(await read(client, table, checked)).toBeUndefined();
});

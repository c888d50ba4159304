import { randomUUID } from 'node:crypto';
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  PutItemCommand,
  TransactGetItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { prefixedTableNames } from '../../../core/tables.ts';
import { createTables } from '../../../lib/local/engine/create-tables.ts';
import { type Engine, startEmbeddedEngine } from '../../../lib/local/engine/embedded.ts';
import { clientOf } from '../../support/engine.ts';
import { withConflicts } from '../../support/transaction-conflicts.ts';
import { add, errorOf, itemOf, keyOf, put, read, remove, requirePresent, write } from './writes.ts';

const names = prefixedTableNames('conflicts-');
const table = names.keys;
let engine: Engine;
let client: DynamoDBDocumentClient;
let clock = { started: Promise.withResolvers<void>(), ended: Promise.withResolvers<void>() };

beforeAll(async () => {
  engine = await startEmbeddedEngine({
    port: 0,
    intercept: withConflicts(() => {
      clock.started.resolve();
      return clock.ended.promise;
    }),
  });
  client = clientOf(engine.endpoint, { maxAttempts: 1 });
  await createTables(client, names);
});
afterAll(async () => {
  client.destroy();
  await engine.close();
});

const stored = (id: string) => read(client, table, id);

/** Runs some work while a transaction on these items takes its time. */
const during = async (actions: Parameters<typeof write>[1], work: () => Promise<void>, token = randomUUID()) => {
  clock = { started: Promise.withResolvers(), ended: Promise.withResolvers() };
  const transaction = write(client, actions, token);
  await clock.started.promise;
  try {
    await work();
  } finally {
    clock.ended.resolve();
    await transaction;
  }
};

describe('while a transaction takes its time', () => {
  it('another one on one of its items is cancelled, with the reason at that item', async () => {
    const [first, shared, last] = [randomUUID(), randomUUID(), randomUUID()];
    await during([put(table, shared, 'kept')], async () => {
      const actions = [put(table, first), put(table, shared, 'other'), remove(table, last)];
      const error = await errorOf(write(client, actions));
      expect(error).toMatchObject({
        name: 'TransactionCanceledException',
        message: expect.stringContaining('[None, TransactionConflict, None]'),
        CancellationReasons: [
          { Code: 'None' },
          { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' },
          { Code: 'None' },
        ],
      });
    });
    expect([await stored(first), await stored(shared)]).toEqual([undefined, itemOf(shared, 'kept')]);
  });

  it('single writes of its items are rejected, those that it only checks too', async () => {
    const [written, checked] = [randomUUID(), randomUUID()];
    await client.send(new PutItemCommand({ TableName: table, Item: itemOf(checked) }));
    await during([add(table, written, 1), requirePresent(table, checked)], async () => {
      const singles = [
        new PutItemCommand({ TableName: table, Item: itemOf(written) }),
        new UpdateItemCommand({ TableName: table, Key: keyOf(written) }),
        new DeleteItemCommand({ TableName: table, Key: keyOf(checked) }),
      ];
      for (const single of singles) {
        const error = await errorOf(client.send<never, never>(single as never));
        expect(error).toMatchObject({ name: 'TransactionConflictException', $fault: 'client' });
      }
    });
    expect(await stored(written)).toEqual({ ...keyOf(written), amount: { N: '1' } });
    expect(await stored(checked)).toEqual(itemOf(checked));
  });

  it('a transactional read of its items is cancelled, and other reads succeed', async () => {
    const id = randomUUID();
    await during([put(table, id)], async () => {
      const Get = { TableName: table, Key: keyOf(id) };
      const error = await errorOf(client.send(new TransactGetItemsCommand({ TransactItems: [{ Get }] })));
      expect(error).toMatchObject({ CancellationReasons: [{ Code: 'TransactionConflict' }] });
      expect(await stored(id)).toEqual(itemOf(id));
    });
  });

  it('a batch leaves its items unprocessed and writes the others', async () => {
    const [held, free] = [randomUUID(), randomUUID()];
    const [heldPut, freePut] = [held, free].map((id) => ({ PutRequest: { Item: itemOf(id, 'batch') } }));
    const batch = async (...puts: unknown[]) =>
      (await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: puts as never } }))).UnprocessedItems;
    await during([put(table, held, 'transaction')], async () => {
      expect(await batch(heldPut, freePut)).toEqual({ [table]: [heldPut] });
      expect(await batch(heldPut)).toEqual({ [table]: [heldPut] });
    });
    expect([await stored(held), await stored(free)]).toEqual([itemOf(held, 'transaction'), itemOf(free, 'batch')]);
    expect(await batch(heldPut)).toEqual({});
  });

  it('the same request with its token is in progress', async () => {
    const [id, token] = [randomUUID(), randomUUID()];
    const actions = [add(table, id, 1)];
    await during(
      actions,
      async () => {
        expect(await errorOf(write(client, actions, token))).toMatchObject({ name: 'TransactionInProgressException' });
      },
      token,
    );
    await write(client, actions, token);
    expect(await stored(id)).toEqual({ ...keyOf(id), amount: { N: '1' } });
  });
});

it('a transaction that fails holds its items no longer', async () => {
  const id = randomUUID();
  clock.ended.resolve();
  const failing = write(client, [requirePresent(table, id)]);
  expect(await errorOf(failing)).toMatchObject({ CancellationReasons: [{ Code: 'ConditionalCheckFailed' }] });
  await write(client, [put(table, id)]);
  expect(await stored(id)).toEqual(itemOf(id));
});

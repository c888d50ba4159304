import { setTimeout } from 'node:timers/promises';
import { DeleteCommand, type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { contentStore } from '../../core/content/content-entries.ts';
import { contentTable } from '../../core/content/content-table.ts';
import { prefixedTableNames } from '../../core/tables.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import { contentRepair } from '../../lib/content-maintenance/content-repair.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { type Engine, startEmbeddedEngine } from '../../lib/local/engine/embedded.ts';
import { moment, someFields } from '../support/content.ts';
import { clientOf } from '../support/engine.ts';
import { withConflicts } from '../support/transaction-conflicts.ts';

const names = prefixedTableNames('conflicts-');
let engine: Engine;
let db: DynamoDBDocumentClient;
let takeTime: () => Promise<unknown>;

beforeAll(async () => {
  engine = await startEmbeddedEngine({ port: 0, intercept: withConflicts(() => takeTime()) });
  db = clientOf(engine.endpoint);
  await createTables(db, names);
});
afterAll(async () => {
  db.destroy();
  await engine.close();
});

it('Changes of many clients that meet on the same counters all succeed, and lists stay exact', async () => {
  const content = contentTable(db, names.content, 'live');
  let transactions = 0;
  takeTime = async () => {
    transactions += 1;
    await setTimeout(2);
  };
  const send = jest.spyOn(db, 'send');
  const clients = Array.from({ length: 10 }, async (_, client) => {
    const [kept, deleted] = [someFields('a.example', `kept-${client}`), someFields('b.example', `deleted-${client}`)];
    const { id } = await content.create(deleted, undefined, moment());
    const moved = await content.create(kept, undefined, moment());
    await content.remove(id, undefined, moment());
    await content.update(moved.id, { domain: 'c.example' }, undefined, moment());
  });
  await Promise.all(clients);
  const sent = send.mock.calls.filter(([command]) => command instanceof TransactWriteCommand).length;
  send.mockRestore();
  expect(transactions).toBe(40);
  expect(sent).toBeGreaterThan(transactions);
  const total = async (domain: string) =>
    (await content.list({ domain }, { offset: 0, limit: 20 }, moment().deadline)).total;
  expect(await Promise.all(['a.example', 'b.example', 'c.example'].map(total))).toEqual([0, 0, 10]);
  expect((await checkContent(db, names.content)).inconsistencies).toEqual([]);
});

/** Transactions take their time from now on until `ended` is resolved. */
const holdTransactions = () => {
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  takeTime = () => {
    started.resolve();
    return ended.promise;
  };
  return { started: started.promise, ended };
};

it('A creation allocates its position while a repair advances the allocator', async () => {
  const { started, ended } = holdTransactions();
  const { lists } = contentStore(db, names.content, 'live');
  const found = { kind: 'allocator behind', list: 'domain:d.example', allocated: 7 } as const;
  const repairing = contentRepair(db, names.content, 'live')(found);
  await Promise.race([started, repairing]);
  try {
    expect(await lists.allocate(found.list)).toBe(7);
  } finally {
    ended.resolve();
  }
  expect(await repairing).toBe(true);
});

it('The engine of these tests rejects a single write while a transaction has its item', async () => {
  const { started, ended } = holdTransactions();
  const item = { TableName: names.content, Key: { pk: 'a', sk: 'b' } };
  const transaction = db.send(new TransactWriteCommand({ TransactItems: [{ Delete: item }] }));
  await started;
  await expect(db.send(new DeleteCommand(item))).rejects.toMatchObject({ name: 'TransactionConflictException' });
  ended.resolve();
  await transaction;
});

import { randomUUID } from 'node:crypto';
import {
  BatchGetItemCommand,
  GetItemCommand,
  QueryCommand,
  TransactGetItemsCommand,
  type TransactWriteItem,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requestTokens } from '../../../lib/local/engine/request-tokens.ts';
import { sharedEndpoint, startEngine, type TestEngine } from '../../support/engine.ts';
import { add, errorOf, itemOf, keyOf, put, putNew, read, remove, requirePresent, write } from './writes.ts';

let engine: TestEngine;
let table: string;
/** Each test works on items of its own. */
const fresh = () => randomUUID();
const stored = (id: string) => read(engine.client, table, id);
const transact = (actions: TransactWriteItem[], token?: string) => write(engine.client, actions, token);
const counted = (id: string, amount: number) => ({ ...keyOf(id), amount: { N: String(amount) } });

beforeAll(async () => {
  engine = await startEngine();
  table = engine.names.keys;
});
afterAll(() => engine.stop());

describe('a transaction', () => {
  it('applies every kind of action, on several tables', async () => {
    const [created, replaced, added, deleted, present, keyId] = [fresh(), fresh(), fresh(), fresh(), fresh(), fresh()];
    const use = { TableName: engine.names.usage, Item: { keyId: { S: keyId }, windowStart: { N: '60' } } };
    await transact([put(table, replaced, 'old'), put(table, deleted), put(table, present)]);
    await transact([
      ...[putNew(table, created), put(table, replaced, 'new'), add(table, added, 3), remove(table, deleted)],
      ...[requirePresent(table, present), { Put: use }],
    ]);
    expect(await Promise.all([created, replaced, added, deleted, present].map(stored))).toEqual([
      ...[itemOf(created, 'new'), itemOf(replaced, 'new'), counted(added, 3), undefined, itemOf(present)],
    ]);
    const again = [add(table, added, 1), { Put: { ...use, ConditionExpression: 'attribute_not_exists(keyId)' } }];
    expect(await errorOf(transact(again))).toMatchObject({
      CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
    });
    expect(await stored(added)).toEqual(counted(added, 3));
  });

  it('changes nothing and gives one reason per action when conditions fail', async () => {
    const [untouched, taken, absent, removed] = [fresh(), fresh(), fresh(), fresh()];
    await transact([put(table, taken, 'old'), put(table, removed, 'old')]);
    const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
    const error = await errorOf(
      transact([
        put(table, untouched),
        putNew(table, taken, returned),
        requirePresent(table, absent, returned),
        remove(table, removed, { ConditionExpression: 'attribute_not_exists(id)' }),
      ]),
    );
    const failed = { Code: 'ConditionalCheckFailed' };
    expect(error).toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'None' }, { ...failed, Item: itemOf(taken, 'old') }, failed, failed],
    });
    expect(await Promise.all([untouched, taken, removed].map(stored))).toEqual([
      ...[undefined, itemOf(taken, 'old'), itemOf(removed, 'old')],
    ]);
  });

  it('changes nothing when an update does not fit the item', async () => {
    const [untouched, text] = [fresh(), fresh()];
    await transact([put(table, text, 'text')]);
    const adding = { UpdateExpression: 'SET #v = #v + :change', ExpressionAttributeNames: { '#v': 'value' } };
    const error = (await errorOf(transact([put(table, untouched), add(table, text, 1, adding)]))) as Error;
    expect(['TransactionCanceledException', 'ValidationException']).toContain(error.name);
    expect([await stored(untouched), await stored(text)]).toEqual([undefined, itemOf(text, 'text')]);
  });

  it('takes 100 actions', async () => {
    const ids = Array.from({ length: 100 }, fresh);
    await transact(ids.map((id) => put(table, id)));
    expect(await Promise.all(ids.map(stored))).toEqual(ids.map((id) => itemOf(id)));
  });

  const invalid: readonly [string, (id: string) => TransactWriteItem[], string?][] = [
    ['names an item twice', (id) => [add(table, id, 1)]],
    ['checks an item that it also writes', (id) => [requirePresent(table, id)]],
    ['has more than 100 actions', () => Array.from({ length: 100 }, () => put(table, fresh()))],
    ['has an empty action', () => [{}]],
    ['has two actions in one', () => [{ ...put(table, fresh()), ...remove(table, fresh()) }]],
    ['has an invalid expression', () => [put(table, fresh(), '', { ConditionExpression: 'attribute_nope(id)' })]],
    ['has an unused value', () => [putNew(table, fresh(), { ExpressionAttributeValues: { ':unused': { S: '' } } })]],
    ['has an item over 400 KB', () => [put(table, fresh(), 'x'.repeat(410_000))]],
    ['contains more than 4 MB', () => Array.from({ length: 11 }, () => put(table, fresh(), 'x'.repeat(400_000)))],
    [
      'has a key of another type',
      () => [remove(table, '', { Key: { id: { N: '1' } } })],
      'TransactionCanceledException',
    ],
    ['names a table that does not exist', () => [put('nowhere', fresh())], 'ResourceNotFoundException'],
  ];
  it.each(invalid)(
    'is rejected and changes nothing when it %s',
    async (_, actionsFor, name = 'ValidationException') => {
      const id = fresh();
      expect(await errorOf(transact([put(table, id), ...actionsFor(id)]))).toMatchObject({ name });
      expect(await stored(id)).toBeUndefined();
    },
  );

  it('is rejected when it has no action', async () => {
    expect(await errorOf(transact([]))).toMatchObject({ name: 'ValidationException' });
  });
});

describe('concurrent transactions', () => {
  it('each apply exactly once beside single writes, and no reader sees one partially applied', async () => {
    const [left, right] = [fresh(), fresh()];
    await transact([add(table, left, 100), add(table, right, 0)]);
    let working = true;
    const partial: unknown[] = [];
    const reader = async () => {
      const TransactItems = [left, right].map((id) => ({ Get: { TableName: table, Key: keyOf(id) } }));
      while (working) {
        // A read that meets a transaction is cancelled.
        const found = await engine.client.send(new TransactGetItemsCommand({ TransactItems })).catch(() => undefined);
        const sum = found?.Responses?.reduce((total, { Item }) => total + Number(Item?.amount?.N), 0) ?? 100;
        if (sum !== 100) partial.push(sum);
      }
    };
    const readers = [reader(), reader()];
    const transfers = Array.from({ length: 40 }, () => transact([add(table, left, -1), add(table, right, 1)]));
    const other = fresh();
    const { Update } = add(table, other, 1);
    const singles = Array.from({ length: 40 }, () => engine.client.send(new UpdateItemCommand(Update as never)));
    const both = Array.from({ length: 20 }, () => transact([add(table, other, 1), add(table, fresh(), 1)]));
    const applied = async (writes: readonly Promise<unknown>[]) =>
      (await Promise.allSettled(writes)).filter(({ status }) => status === 'fulfilled').length;
    const [moved, increments] = [await applied(transfers), await applied([...singles, ...both])];
    working = false;
    await Promise.all(readers);
    expect(partial).toEqual([]);
    expect(moved).toBeGreaterThan(0);
    expect([await stored(left), await stored(right)]).toEqual([counted(left, 100 - moved), counted(right, moved)]);
    expect(await stored(other)).toEqual(counted(other, increments));
  });
});

describe('a request token', () => {
  it('applies one of many equal requests, concurrent or repeated', async () => {
    const [id, token] = [fresh(), fresh()];
    await Promise.allSettled(Array.from({ length: 20 }, () => transact([add(table, id, 1)], token)));
    await transact([add(table, id, 1)], token);
    expect(await stored(id)).toEqual(counted(id, 1));
  });

  it('rejects other contents, but can be reused after a rejection', async () => {
    const [id, token, rejected] = [fresh(), fresh(), fresh()];
    await transact([put(table, id, 'first')], token);
    expect(await errorOf(transact([put(table, id, 'second')], token))).toMatchObject({
      name: 'IdempotentParameterMismatchException',
    });
    await errorOf(transact([putNew(table, id)], rejected));
    expect(await stored(id)).toEqual(itemOf(id, 'first'));
    const other = fresh();
    await transact([putNew(table, other)], rejected);
    expect(await stored(other)).toEqual(itemOf(other, 'new'));
  });

  it('is recognised for ten minutes', () => {
    const [actions, response] = [[{ Put: {} }], { status: 200, body: {} }];
    let now = 0;
    const tokens = requestTokens(() => now);
    tokens.add('token', actions, response);
    now = 10 * 60_000 - 1;
    expect([tokens.find('token', actions), tokens.find('other', actions)]).toEqual([response, undefined]);
    now += 1;
    expect(tokens.find('token', actions)).toBeUndefined();
  });
});

describe('consumed capacity', () => {
  it('of a transaction is two units per kilobyte written', async () => {
    const unitsOf = async (...actions: TransactWriteItem[]) =>
      (await transact(actions)).ConsumedCapacity?.map(({ CapacityUnits }) => CapacityUnits);
    expect(await unitsOf(put(table, fresh(), 'x'.repeat(1_500)))).toEqual([4]);
    expect(await unitsOf(add(table, fresh(), 1))).toEqual([2]);
    // DynamoDB rounds up each item, as its documentation says; DynamoDB Local the sum of a table's items.
    const small = await unitsOf(put(table, fresh()), put(table, fresh()), put(table, fresh()));
    expect(small).toEqual([sharedEndpoint() === undefined ? 6 : 2]);
  });

  it('of strongly consistent reads is a unit per 4 kB', async () => {
    const id = fresh();
    await transact([put(table, id, 'x'.repeat(5_000))]);
    const measured = { TableName: table, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' } as const;
    const ofId = { KeyConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': { S: id } } };
    const RequestItems = { [table]: { Keys: [keyOf(id)], ConsistentRead: true } };
    const { client } = engine;
    const got = await client.send(new GetItemCommand({ ...measured, Key: keyOf(id) }));
    const queried = await client.send(new QueryCommand({ ...measured, ...ofId }));
    const batched = await client.send(new BatchGetItemCommand({ RequestItems, ReturnConsumedCapacity: 'TOTAL' }));
    const consumed = [got.ConsumedCapacity, queried.ConsumedCapacity, batched.ConsumedCapacity?.[0]];
    expect(consumed.map((one) => one?.CapacityUnits)).toEqual([2, 2, 2]);
  });
});

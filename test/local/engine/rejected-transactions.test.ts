import { randomUUID } from 'node:crypto';
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEngine, type TestEngine } from '../../support/engine.ts';
import { add, errorOf, itemOf, put, putNew, read, remove, requirePresent, write } from './writes.ts';

let engine: TestEngine;
let table: string;
const fresh = () => randomUUID();
const stored = (id: string) => read(engine.client, table, id);
const errorNameOf = async (call: Promise<unknown>) => ((await errorOf(call)) as Error).name;

beforeAll(async () => {
  engine = await startEngine();
  table = engine.names.keys;
});
afterAll(() => engine.stop());

describe('a transaction is rejected and changes nothing', () => {
  const invalid: readonly [string, (id: string) => TransactWriteItem[]][] = [
    ['names an item twice', (id) => [add(table, id, 1)]],
    ['checks an item that it also writes', (id) => [requirePresent(table, id)]],
    ['has more than 100 actions', () => Array.from({ length: 100 }, () => put(table, fresh()))],
    ['has an empty action', () => [{}]],
    ['has two actions in one', () => [{ ...put(table, fresh()), ...remove(table, fresh()) }]],
    [
      'has an expression that cannot be parsed',
      () => [put(table, fresh(), '', { ConditionExpression: 'attribute_nope(id)' })],
    ],
    [
      'has a value that no expression uses',
      () => [putNew(table, fresh(), { ExpressionAttributeValues: { ':unused': { S: '' } } })],
    ],
    ['has an item over 400 KB', () => [put(table, fresh(), 'x'.repeat(410_000))]],
    ['contains more than 4 MB', () => Array.from({ length: 11 }, () => put(table, fresh(), 'x'.repeat(400_000)))],
  ];

  it.each(invalid)('when it %s', async (_, actionsFor) => {
    const id = fresh();
    expect(await errorNameOf(write(engine.client, [put(table, id), ...actionsFor(id)]))).toBe('ValidationException');
    expect(await stored(id)).toBeUndefined();
  });

  it('when it has no action, has a key of another type or names a table that does not exist', async () => {
    const id = fresh();
    const wrongKey = remove(table, '', { Key: { id: { N: '1' } } });
    const nameOfErrorFrom = (...actions: TransactWriteItem[]) => errorNameOf(write(engine.client, actions));
    expect(await nameOfErrorFrom()).toBe('ValidationException');
    expect(await nameOfErrorFrom(put(table, id), wrongKey)).toBe('TransactionCanceledException');
    expect(await nameOfErrorFrom(put(table, id), put('nowhere', fresh()))).toBe('ResourceNotFoundException');
    expect(await stored(id)).toBeUndefined();
  });
});

describe('a request token', () => {
  it('makes a repeated request succeed without a second effect', async () => {
    const [id, token] = [fresh(), fresh()];
    await write(engine.client, [add(table, id, 1)], token);
    await write(engine.client, [add(table, id, 1)], token);
    expect(await stored(id)).toEqual({ id: { S: id }, amount: { N: '1' } });
  });

  it('applies one of many concurrent requests', async () => {
    const [id, token] = [fresh(), fresh()];
    await Promise.allSettled(Array.from({ length: 20 }, () => write(engine.client, [add(table, id, 1)], token)));
    expect(await stored(id)).toEqual({ id: { S: id }, amount: { N: '1' } });
  });

  it('rejects other contents', async () => {
    const [id, token] = [fresh(), fresh()];
    await write(engine.client, [put(table, id, 'first')], token);
    expect(await errorNameOf(write(engine.client, [put(table, id, 'second')], token))).toBe(
      'IdempotentParameterMismatchException',
    );
    expect(await stored(id)).toEqual(itemOf(id, 'first'));
  });

  it('can be reused after a rejection', async () => {
    const [taken, token] = [fresh(), fresh()];
    await write(engine.client, [put(table, taken)]);
    await errorOf(write(engine.client, [putNew(table, taken)], token));
    const id = fresh();
    await write(engine.client, [putNew(table, id)], token);
    expect(await stored(id)).toEqual(itemOf(id, 'new'));
  });
});

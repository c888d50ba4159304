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
  const rejected: readonly [string, string, (id: string) => TransactWriteItem[]][] = [
    ['names an item twice', 'ValidationException', (id) => [put(table, id), add(table, id, 1)]],
    ['checks an item that it also writes', 'ValidationException', (id) => [put(table, id), requirePresent(table, id)]],
    ['has no action', 'ValidationException', () => []],
    [
      'has more than 100 actions',
      'ValidationException',
      (id) => [put(table, id), ...Array.from({ length: 100 }, () => put(table, fresh()))],
    ],
    ['has an empty action', 'ValidationException', (id) => [put(table, id), {}]],
    [
      'has two actions in one',
      'ValidationException',
      (id) => [put(table, id), { ...put(table, fresh()), ...remove(table, fresh()) }],
    ],
    [
      'has an expression that cannot be parsed',
      'ValidationException',
      (id) => [put(table, id), put(table, fresh(), '', { ConditionExpression: 'attribute_nope(id)' })],
    ],
    [
      'has a value that no expression uses',
      'ValidationException',
      (id) => [put(table, id), putNew(table, fresh(), { ExpressionAttributeValues: { ':unused': { S: '' } } })],
    ],
    [
      'has a key of another type',
      'TransactionCanceledException',
      (id) => [put(table, id), remove(table, '', { Key: { id: { N: '1' } } })],
    ],
    [
      'names a table that does not exist',
      'ResourceNotFoundException',
      (id) => [put(table, id), put('nowhere', fresh())],
    ],
    [
      'has an item over 400 KB',
      'ValidationException',
      (id) => [put(table, id), put(table, fresh(), 'x'.repeat(410_000))],
    ],
    [
      'contains more than 4 MB',
      'ValidationException',
      (id) => [put(table, id), ...Array.from({ length: 11 }, () => put(table, fresh(), 'x'.repeat(400_000)))],
    ],
  ];

  it.each(rejected)('when it %s (%s)', async (_, name, actionsFor) => {
    const id = fresh();
    expect(await errorNameOf(write(engine.client, actionsFor(id)))).toBe(name);
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

  it('applies one of many concurrent repetitions', async () => {
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

  it('is rejected when longer than 36 characters', async () => {
    expect(await errorNameOf(write(engine.client, [put(table, fresh())], 't'.repeat(37)))).toBe('ValidationException');
  });
});

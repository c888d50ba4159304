import { randomUUID } from 'node:crypto';
import { TransactionCanceledException, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedEndpoint, startEngine, type TestEngine } from '../../support/engine.ts';
import { add, errorOf, itemOf, put, putNew, read, remove, requirePresent, write } from './writes.ts';

let engine: TestEngine;
let table: string;
/** Each test works on items of its own. */
const fresh = () => randomUUID();
const stored = (id: string) => read(engine.client, table, id);

beforeAll(async () => {
  engine = await startEngine();
  table = engine.names.keys;
});
afterAll(() => engine.stop());

const reasonsOf = async (call: Promise<unknown>) => {
  const error = await errorOf(call);
  if (!(error instanceof TransactionCanceledException)) throw error;
  return error.CancellationReasons ?? [];
};

describe('a transaction', () => {
  it('applies every kind of action', async () => {
    const [created, replaced, counted, deleted, present] = [fresh(), fresh(), fresh(), fresh(), fresh()];
    await write(engine.client, [put(table, replaced, 'old'), put(table, deleted), put(table, present)]);
    await write(engine.client, [
      putNew(table, created),
      put(table, replaced, 'new'),
      add(table, counted, 3),
      remove(table, deleted),
      requirePresent(table, present),
    ]);
    expect(await stored(created)).toEqual(itemOf(created, 'new'));
    expect(await stored(replaced)).toEqual(itemOf(replaced, 'new'));
    expect(await stored(counted)).toEqual({ id: { S: counted }, amount: { N: '3' } });
    expect(await stored(deleted)).toBeUndefined();
    expect(await stored(present)).toEqual(itemOf(present));
  });

  it('applies actions on several tables', async () => {
    const [id, keyId] = [fresh(), fresh()];
    const Key = { keyId: { S: keyId }, windowStart: { N: '60' } };
    await write(engine.client, [
      put(table, id),
      { Put: { TableName: engine.names.usage, Item: { ...Key, used: { N: '1' } } } },
    ]);
    const again = await reasonsOf(
      write(engine.client, [
        add(table, id, 1),
        { Delete: { TableName: engine.names.usage, Key, ConditionExpression: 'attribute_not_exists(keyId)' } },
      ]),
    );
    expect(again.map(({ Code }) => Code)).toEqual(['None', 'ConditionalCheckFailed']);
    expect(await stored(id)).toEqual(itemOf(id));
  });

  it('changes nothing and gives one reason per action when conditions fail', async () => {
    const [untouched, taken, absent, counted, removed] = [fresh(), fresh(), fresh(), fresh(), fresh()];
    await write(engine.client, [put(table, taken, 'old'), put(table, removed, 'old')]);
    const reasons = await reasonsOf(
      write(engine.client, [
        put(table, untouched),
        putNew(table, taken, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        requirePresent(table, absent, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        add(table, counted, 1),
        remove(table, removed, { ConditionExpression: 'attribute_not_exists(id)' }),
      ]),
    );
    expect(reasons.map(({ Code }) => Code)).toEqual([
      'None',
      'ConditionalCheckFailed',
      'ConditionalCheckFailed',
      'None',
      'ConditionalCheckFailed',
    ]);
    expect(reasons.map(({ Item }) => Item)).toEqual([undefined, itemOf(taken, 'old'), undefined, undefined, undefined]);
    expect(reasons[1]?.Message).toBe('The conditional request failed');
    expect(await stored(untouched)).toBeUndefined();
    expect(await stored(counted)).toBeUndefined();
    expect(await stored(taken)).toEqual(itemOf(taken, 'old'));
    expect(await stored(removed)).toEqual(itemOf(removed, 'old'));
  });

  it('changes nothing when an update does not fit the item', async () => {
    const [untouched, text] = [fresh(), fresh()];
    await write(engine.client, [put(table, text, 'text')]);
    const error = await errorOf(
      write(engine.client, [
        put(table, untouched),
        add(table, text, 1, {
          UpdateExpression: 'SET #value = #value + :change',
          ExpressionAttributeNames: { '#value': 'value' },
        }),
      ]),
    );
    expect(['TransactionCanceledException', 'ValidationException']).toContain((error as Error).name);
    expect(await stored(untouched)).toBeUndefined();
    expect(await stored(text)).toEqual(itemOf(text, 'text'));
  });

  it('does not write the item of a condition check', async () => {
    const [present, other] = [fresh(), fresh()];
    await write(engine.client, [put(table, present, 'kept')]);
    await write(engine.client, [requirePresent(table, present), put(table, other)]);
    expect(await stored(present)).toEqual(itemOf(present, 'kept'));
  });

  it('takes 100 actions', async () => {
    const ids = Array.from({ length: 100 }, fresh);
    await write(
      engine.client,
      ids.map((id) => put(table, id)),
    );
    expect(await Promise.all(ids.map(stored))).toEqual(ids.map((id) => itemOf(id)));
  });

  it('costs two units per kilobyte written', async () => {
    const unitsOf = async (...actions: TransactWriteItem[]) =>
      (await write(engine.client, actions)).ConsumedCapacity?.map(({ CapacityUnits }) => CapacityUnits);
    expect(await unitsOf(put(table, fresh(), 'x'.repeat(1_500)))).toEqual([4]);
    expect(await unitsOf(add(table, fresh(), 1))).toEqual([2]);
    // DynamoDB rounds up each item, as its documentation says; DynamoDB Local the sum of a table's items.
    const small = await unitsOf(put(table, fresh()), put(table, fresh()), put(table, fresh()));
    expect(small).toEqual([sharedEndpoint() === undefined ? 6 : 2]);
  });
});

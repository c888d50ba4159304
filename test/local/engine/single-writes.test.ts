import { randomUUID } from 'node:crypto';
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEngine, type TestEngine } from '../../support/engine.ts';
import { errorOf, itemOf, put, read, write } from './writes.ts';

let engine: TestEngine;
let table: string;

beforeAll(async () => {
  engine = await startEngine();
  table = engine.names.keys;
});
afterAll(() => engine.stop());

const storedItem = async (value = 'stored') => {
  const id = randomUUID();
  await write(engine.client, [put(table, id, value)]);
  return id;
};

const itemOnFailure = async (call: Promise<unknown>) => {
  const error = await errorOf(call);
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return error.Item;
};

const ASKING = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
const IF_ABSENT = { ConditionExpression: 'attribute_not_exists(id)' } as const;

describe('a single write whose condition fails returns the stored item', () => {
  it.each([
    [
      'a put',
      (id: string) => new PutItemCommand({ TableName: table, Item: itemOf(id, 'other'), ...IF_ABSENT, ...ASKING }),
    ],
    [
      'an update',
      (id: string) => {
        const update = { UpdateExpression: 'SET remark = id', ...IF_ABSENT, ...ASKING };
        return new UpdateItemCommand({ TableName: table, Key: { id: { S: id } }, ...update });
      },
    ],
    [
      'a delete',
      (id: string) => new DeleteItemCommand({ TableName: table, Key: { id: { S: id } }, ...IF_ABSENT, ...ASKING }),
    ],
  ])('when it is %s', async (_what, commandFor) => {
    const id = await storedItem();
    expect(await itemOnFailure(engine.client.send(commandFor(id) as PutItemCommand))).toEqual(itemOf(id, 'stored'));
    expect(await read(engine.client, table, id)).toEqual(itemOf(id, 'stored'));
  });

  it('but no item when there is none, or when it was not requested', async () => {
    const id = await storedItem();
    const unasked = new PutItemCommand({ TableName: table, Item: itemOf(id), ...IF_ABSENT });
    expect(await itemOnFailure(engine.client.send(unasked))).toBeUndefined();
    const absent = new DeleteItemCommand({
      TableName: table,
      Key: { id: { S: randomUUID() } },
      ConditionExpression: 'attribute_exists(id)',
      ...ASKING,
    });
    expect(await itemOnFailure(engine.client.send(absent))).toBeUndefined();
  });
});

describe('consumed capacity', () => {
  it('contains the read units of strongly consistent reads', async () => {
    const id = await storedItem('x'.repeat(5_000));
    const measured = { ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' } as const;
    const got = await engine.client.send(new GetItemCommand({ TableName: table, Key: { id: { S: id } }, ...measured }));
    const queried = await engine.client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'id = :id',
        ExpressionAttributeValues: { ':id': { S: id } },
        ...measured,
      }),
    );
    const batched = await engine.client.send(
      new BatchGetItemCommand({
        RequestItems: { [table]: { Keys: [{ id: { S: id } }], ConsistentRead: true } },
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    expect(got.ConsumedCapacity?.CapacityUnits).toBe(2);
    expect(queried.ConsumedCapacity?.CapacityUnits).toBe(2);
    expect(batched.ConsumedCapacity?.[0]?.CapacityUnits).toBe(2);
  });
});

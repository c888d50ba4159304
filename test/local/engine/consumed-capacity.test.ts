import { randomUUID } from 'node:crypto';
import { BatchGetItemCommand, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEngine, type TestEngine } from '../../support/engine.ts';
import { put, write } from './writes.ts';

let engine: TestEngine;
let table: string;

beforeAll(async () => {
  engine = await startEngine();
  table = engine.names.keys;
});
afterAll(() => engine.stop());

describe('consumed capacity', () => {
  it('contains the read units of strongly consistent reads', async () => {
    const id = randomUUID();
    await write(engine.client, [put(table, id, 'x'.repeat(5_000))]);
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

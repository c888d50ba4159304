import { DeleteTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTables } from '../../../lib/local/engine/create-tables.ts';
import { startEngine, type TestEngine } from '../../support/engine.ts';

let engine: TestEngine;

beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const describeTable = async (TableName: string) =>
  (await engine.client.send(new DescribeTableCommand({ TableName }))).Table;

describe('creating tables', () => {
  it('creates them as described and active', async () => {
    const table = await describeTable(engine.names.usage);
    expect(table?.TableStatus).toBe('ACTIVE');
    expect(table?.KeySchema).toEqual([
      { AttributeName: 'keyId', KeyType: 'HASH' },
      { AttributeName: 'windowStart', KeyType: 'RANGE' },
    ]);
    expect(table?.BillingModeSummary?.BillingMode).toBe('PAY_PER_REQUEST');
  });

  it('creates only the missing ones and returns their ids', async () => {
    expect(await createTables(engine.client, engine.names)).toEqual([]);
    await engine.client.send(new DeleteTableCommand({ TableName: engine.names.vehicles }));
    expect(await createTables(engine.client, engine.names)).toEqual(['vehicles']);
    expect((await describeTable(engine.names.vehicles))?.TableStatus).toBe('ACTIVE');
  });
});

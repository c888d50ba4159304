import { type AttributeValue, DescribeTableCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createDatabase } from '../../../core/dynamodb/database.ts';
import { startEngine, type TestEngine } from '../../support/engine.ts';
import { describeOwnClient } from '../../support/stock-client.ts';

let engine: TestEngine;
let db: ReturnType<typeof createDatabase>;

beforeAll(async () => {
  engine = await startEngine();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  db = createDatabase({ region: 'eu-west-2', endpoint: engine.endpoint, credentials });
});
afterAll(async () => {
  db.destroy();
  await engine.stop();
});

/** The SDK loses an entry of a map with the name `__proto__`. No name in our tables comes from a caller. */
const name = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__');

/** Everything that an attribute can hold but binary. */
const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ S: fc.string({ unit: 'grapheme' }) }),
    fc.record({ N: fc.integer().map(String) }),
    fc.record({ BOOL: fc.boolean() }),
    fc.constant({ NULL: true as const }),
    fc.record({ SS: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }) }),
    fc.record({ L: fc.array(tie('value')) }),
    fc.record({ M: fc.dictionary(name, tie('value'), { noNullPrototype: true }) }),
  ),
}));

/** The same item with its sets sorted: a set has no order, and an engine gives it in any. */
const withSortedSets = (item: unknown): unknown =>
  JSON.parse(JSON.stringify(item), (name, held) => (name === 'SS' && Array.isArray(held) ? held.sort() : held));

describeOwnClient('The protocol of the functions', () => {
  it('stores and reads any item as the SDK does', async () => {
    const TableName = engine.names.vehicles;
    const Key = { registration: { S: 'AB12CDE' } };
    await fc.assert(
      fc.asyncProperty(value, fc.boolean(), async (something, functionsWrite) => {
        const [writer, reader] = functionsWrite ? [db, engine.client] : [engine.client, db];
        const Item = { ...Key, something };
        await writer.send(new PutItemCommand({ TableName, Item }));
        const { Item: found } = await reader.send(new GetItemCommand({ TableName, Key }));
        expect(withSortedSets(found)).toEqual(withSortedSets(Item));
      }),
    );
  });

  it('leaves responses with timestamps to the SDK', async () => {
    const { Table } = await db.send(new DescribeTableCommand({ TableName: engine.names.vehicles }));
    expect(Table?.CreationDateTime?.getTime()).toBeGreaterThan(0);
  });
});

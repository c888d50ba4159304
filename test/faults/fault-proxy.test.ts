import { randomUUID } from 'node:crypto';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { always, onNthCall } from '../support/fault-choosers.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';

/** Milliseconds after which this client gives a hanging request up. */
const PATIENCE_MS = 200;

let engine: TestEngine;
let faults: FaultProxy;
let db: DynamoDBClient;
let table: string;

beforeAll(async () => {
  engine = await startEngine();
  faults = await startFaultProxy(engine.endpoint);
  table = engine.names.vehicles;
  db = new DynamoDBClient({
    endpoint: faults.endpoint,
    region: 'eu-west-2',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({ requestTimeout: PATIENCE_MS, throwOnRequestTimeout: true }),
  });
});
afterEach(() => faults.reset());
afterAll(async () => {
  db.destroy();
  await faults.close();
  await engine.stop();
});

const keyOf = (registration: string) => ({ registration: { S: registration } });
const put = (registration: string) => db.send(new PutItemCommand({ TableName: table, Item: keyOf(registration) }));
const isStored = async (registration: string) => {
  const read = new GetItemCommand({ TableName: table, Key: keyOf(registration), ConsistentRead: true });
  return (await engine.client.send(read)).Item !== undefined;
};

const failing: readonly (readonly [Fault, error: object, applied: boolean])[] = [
  ['throttle', { name: 'ProvisionedThroughputExceededException' }, false],
  ['error', { name: 'InternalServerError', $metadata: expect.objectContaining({ httpStatusCode: 500 }) }, false],
  ['hang', { name: 'TimeoutError' }, false],
  ['resetBefore', { message: expect.stringContaining('ECONNRESET') }, false],
  ['resetAfter', { message: expect.stringContaining('ECONNRESET') }, true],
  ['errorAfter', { name: 'InternalServerError' }, true],
  ['truncate', { message: expect.stringContaining('aborted') }, true],
];

describe.each(failing)('A request with the fault %s', (fault, error, applied) => {
  it(`fails and is ${applied ? '' : 'not '}applied`, async () => {
    const registration = randomUUID();
    faults.inject(always(fault));
    await expect(put(registration)).rejects.toMatchObject(error);
    expect(await isStored(registration)).toBe(applied);
    expect(faults.calls).toMatchObject([{ operation: 'PutItem', tables: [table], fault }]);
  });
});

describe('A slow answer', () => {
  it('comes, if its reader waits for it', async () => {
    faults.inject(always({ slowMs: PATIENCE_MS / 4 }));
    await expect(put('SLOW')).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });

  it('is lost on a reader who does not, though it was applied', async () => {
    faults.inject(always({ slowMs: PATIENCE_MS * 4 }));
    await expect(put('SLOWER')).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await isStored('SLOWER')).toBe(true);
  });
});

describe('A partial batch', () => {
  const writes = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ PutRequest: { Item: keyOf(`PART${index}`) } }));

  it('writes the first half and gives the rest back', async () => {
    faults.inject(always('partial'));
    const { UnprocessedItems } = await db.send(new BatchWriteItemCommand({ RequestItems: { [table]: writes(5) } }));
    expect(UnprocessedItems).toEqual({ [table]: writes(5).slice(3) });
    expect(await isStored('PART2')).toBe(true);
    expect(await isStored('PART3')).toBe(false);
    expect(faults.calls).toMatchObject([{ operation: 'BatchWriteItem', tables: [table], fault: 'partial' }]);
  });

  it('reads the first half, over tables, and gives the rest back as it was asked', async () => {
    await put('READ');
    const Keys = [keyOf('READ'), keyOf('UNREAD')];
    const other = { Keys: [keyOf('OTHER')], ConsistentRead: true, ProjectionExpression: 'registration' };
    faults.inject(always('partial'));
    const { Responses, UnprocessedKeys } = await db.send(
      new BatchGetItemCommand({ RequestItems: { [table]: { Keys }, [engine.names.compliance]: other } }),
    );
    expect(Responses).toEqual({ [table]: [keyOf('READ')] });
    expect(UnprocessedKeys).toEqual({ [engine.names.compliance]: other });
    expect(faults.calls.at(-1)?.tables).toEqual([table, engine.names.compliance]);
  });

  it('of one is whole, as is any other operation', async () => {
    faults.inject(always('partial'));
    const { UnprocessedItems } = await db.send(new BatchWriteItemCommand({ RequestItems: { [table]: writes(1) } }));
    expect(UnprocessedItems).toEqual({});
    await expect(put('WHOLE')).resolves.toBeDefined();
    expect(faults.calls.map(({ fault }) => fault)).toEqual([undefined, undefined]);
  });
});

describe('A transaction cancelled for mixed reasons', () => {
  it('has a conflict on its first item, failed conditions after it, and is not applied', async () => {
    faults.inject(always('mixedCancellation'));
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    const ConditionExpression = 'attribute_not_exists(registration)';
    const TransactItems = [
      { Put: { TableName: table, Item: keyOf(first), ConditionExpression } },
      { Put: { TableName: table, Item: keyOf(second), ConditionExpression } },
      { Put: { TableName: table, Item: keyOf(third) } },
    ];
    await expect(db.send(new TransactWriteItemsCommand({ TransactItems }))).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'ConditionalCheckFailed' }, { Code: 'None' }],
    });
    expect(await isStored(third)).toBe(false);
    await expect(put('NO-TRANSACTION')).resolves.toBeDefined();
    expect(faults.calls.map(({ fault }) => fault)).toEqual(['mixedCancellation', undefined]);
  });
});

describe('The record of calls', () => {
  it('names the tables of a transaction, and nothing as the fault of what passed', async () => {
    const puts = [table, engine.names.compliance, table].map((TableName, index) => ({
      Put: { TableName, Item: keyOf(`T${index}`) },
    }));
    await db.send(new TransactWriteItemsCommand({ TransactItems: puts }));
    expect(faults.calls).toMatchObject([
      { operation: 'TransactWriteItems', tables: [table, engine.names.compliance], fault: undefined },
    ]);
  });

  it('tells of a client that hung up although nothing held its answer back', async () => {
    faults.inject(onNthCall(1, 'hang'));
    await expect(put('HUNG')).rejects.toMatchObject({ name: 'TimeoutError' });
    const hasGone = new AbortController();
    const gone = db.send(new PutItemCommand({ TableName: table, Item: keyOf('GONE') }), {
      abortSignal: hasGone.signal,
    });
    faults.inject(() => {
      hasGone.abort();
      return undefined;
    });
    await expect(gone).rejects.toMatchObject({ name: 'AbortError' });
    faults.inject(() => undefined);
    await put('ANSWERED');
    expect(faults.calls).toMatchObject([{ isAbandoned: false }, { isAbandoned: true }, { isAbandoned: false }]);
  });
});

import { randomUUID } from 'node:crypto';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { always, onNthCall } from '../support/fault-choosers.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';

/** Milliseconds after which this client stops waiting. */
const PATIENCE_MS = 1_500;

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
  [{ slowMs: PATIENCE_MS * 2 }, { name: 'TimeoutError' }, true],
];

describe.each(failing)('A request with the fault %j', (fault, error, applied) => {
  it(`fails and is ${applied ? '' : 'not '}applied`, async () => {
    const registration = randomUUID();
    faults.inject(always(fault));
    await expect(put(registration)).rejects.toMatchObject(error);
    expect(await isStored(registration)).toBe(applied);
    expect(faults.calls).toMatchObject([{ operation: 'PutItem', tables: [table], fault }]);
  });
});

/** Cancelled transactions: test/dynamodb/retries.test.ts. */
describe('A partial batch', () => {
  const writes = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ PutRequest: { Item: keyOf(`PART${index}`) } }));

  it('writes the first half and returns the rest as unprocessed', async () => {
    faults.inject(always('partial'));
    const { UnprocessedItems } = await db.send(new BatchWriteItemCommand({ RequestItems: { [table]: writes(5) } }));
    expect(UnprocessedItems).toEqual({ [table]: writes(5).slice(3) });
    expect([await isStored('PART2'), await isStored('PART3')]).toEqual([true, false]);
    expect(faults.calls).toMatchObject([{ operation: 'BatchWriteItem', tables: [table], fault: 'partial' }]);
  });

  it('reads the first half, over tables, and returns the rest as it was requested', async () => {
    await put('READ');
    const Keys = [keyOf('READ'), keyOf('UNREAD')];
    const other = { Keys: [keyOf('OTHER')], ConsistentRead: true, ProjectionExpression: 'registration' };
    const RequestItems = { [table]: { Keys }, [engine.names.compliance]: other };
    faults.inject(always('partial'));
    const { Responses, UnprocessedKeys } = await db.send(new BatchGetItemCommand({ RequestItems }));
    expect(Responses).toEqual({ [table]: [keyOf('READ')] });
    expect(UnprocessedKeys).toEqual({ [engine.names.compliance]: other });
    expect(faults.calls.at(-1)?.tables).toEqual([table, engine.names.compliance]);
  });
});

it('The record of calls marks requests whose client disconnected although nothing delayed the response', async () => {
  faults.inject(onNthCall(1, 'hang'));
  await expect(put('HUNG')).rejects.toMatchObject({ name: 'TimeoutError' });
  const stop = new AbortController();
  const command = new PutItemCommand({ TableName: table, Item: keyOf('GONE') });
  const aborted = db.send(command, { abortSignal: stop.signal });
  faults.inject(() => void stop.abort());
  await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  faults.inject(() => undefined);
  await put('ANSWERED');
  expect(faults.calls).toMatchObject([{ isAbandoned: false }, { isAbandoned: true }, { isAbandoned: false }]);
});

import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createDatabase } from '../../functions/dynamodb/database.ts';
import { type TransactWrite, transact } from '../../functions/dynamodb/transact.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import { clientOf, startEngine, type TestEngine } from '../support/engine.ts';
import { onNthCall } from '../support/fault-choosers.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';

let engine: TestEngine;
let faults: FaultProxy;
/** One attempt for each of the transaction's own. */
let db: DynamoDBDocumentClient;

beforeAll(async () => {
  engine = await startEngine();
  faults = await startFaultProxy(engine.endpoint);
  db = clientOf(faults.endpoint, { maxAttempts: 1 });
});
afterAll(async () => {
  db.destroy();
  await faults.close();
  await engine.stop();
});
afterEach(() => faults.reset());

const add = (TableName: string, id: string, change: number): TransactWrite => ({
  Update: {
    TableName,
    Key: { id },
    UpdateExpression: 'ADD amount :change',
    ExpressionAttributeValues: { ':change': change },
  },
});

const putNew = (TableName: string, id: string, more: Partial<NonNullable<TransactWrite['Put']>> = {}) => ({
  Put: { TableName, Item: { id, amount: 7 }, ConditionExpression: 'attribute_not_exists(id)', ...more },
});

describe('A transaction', () => {
  it('whose answer is lost is recognised after any number of throttles', async () => {
    let requests = 0;
    faults.inject(() => {
      requests += 1;
      return requests === 1 ? 'resetAfter' : requests <= 6 ? 'throttle' : undefined;
    });
    const outcome = await transact(db, [add(engine.names.keys, 'throttled', 1)], deadlineIn(20_000));
    expect(outcome).toEqual({ committed: true });
    expect(requests).toBe(7);
    const key = { TableName: engine.names.keys, Key: { id: 'throttled' }, ConsistentRead: true };
    expect((await engine.client.send(new GetCommand(key))).Item).toEqual({ id: 'throttled', amount: 1 });
  });

  it('is sent again when one reason is transient, even beside a condition that failed', async () => {
    faults.inject(onNthCall(1, 'mixedCancellation'));
    const writes = ['first', 'second'].map((id) => putNew(engine.names.keys, id));
    expect(await transact(db, writes, deadlineIn(20_000))).toEqual({ committed: true });
    const tokens = faults.calls.map(
      ({ body }) => (JSON.parse(body) as { ClientRequestToken: string }).ClientRequestToken,
    );
    expect(tokens).toEqual([tokens[0], tokens[0]]);
  });

  it('names every condition that failed once nothing else stands in the way', async () => {
    const [taken, free] = ['taken', 'free'].map((id) => putNew(engine.names.keys, id));
    if (taken === undefined || free === undefined) throw new Error('two writes');
    await transact(db, [taken], deadlineIn(20_000));
    faults.inject(onNthCall(1, 'mixedCancellation'));
    const outcome = await transact(db, [taken, free], deadlineIn(20_000));
    expect(outcome).toEqual({ committed: false, failed: new Map([[taken, {}]]) });
  });

  it('returns the item found by a write whose condition failed as plain values, when the write asks for it', async () => {
    const write = putNew(engine.names.keys, 'found', { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
    await transact(db, [write], deadlineIn(20_000));
    const outcome = await transact(db, [write], deadlineIn(20_000));
    expect(outcome).toEqual({ committed: false, failed: new Map([[write, { id: 'found', amount: 7 }]]) });
  });

  it.each(['error', 'throttle', 'resetBefore', 'mixedCancellation'] as const)(
    'tells what kept it from the deadline on: %s',
    async (fault) => {
      faults.inject(() => fault);
      const failing = transact(db, [add(engine.names.keys, 'late', 1)], deadlineIn(500));
      await expect(failing).rejects.toMatchObject({
        name: 'DeadlineExceeded',
        cause: { $metadata: expect.anything() },
      });
    },
  );

  it('that cannot be sent at all says why, at once', async () => {
    const write: TransactWrite = { Put: { TableName: engine.names.keys, Item: { id: 'symbol', value: Symbol('no') } } };
    const functionsDb = createDatabase({
      region: 'eu-west-2',
      endpoint: faults.endpoint,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    await expect(transact(functionsDb, [write], deadlineIn(2_000))).rejects.toThrow(TypeError);
    functionsDb.destroy();
  });

  it('is not begun past the deadline', async () => {
    const send = jest.spyOn(db, 'send');
    await expect(transact(db, [add(engine.names.keys, 'past', 1)], deadlineIn(0))).rejects.toThrow('deadline');
    expect(send).not.toHaveBeenCalled();
    send.mockRestore();
  });
});

import type { AttributeValue, DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createDatabase } from '../../functions/dynamodb/database.ts';
import { transact } from '../../functions/dynamodb/transact.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import { add, putNew, read } from '../local/engine/writes.ts';
import { clientOf, startEngine, type TestEngine } from '../support/engine.ts';
import { onNthCall } from '../support/fault-choosers.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';

let engine: TestEngine;
let faults: FaultProxy;
/** One attempt for each of the transaction's own. */
let db: DynamoDBClient;

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
    expect((await read(engine.client, engine.names.keys, 'throttled'))?.amount).toEqual({ N: '1' });
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
    const circular: Record<string, AttributeValue> = { id: { S: 'circular' } };
    circular.self = { M: circular };
    const write: TransactWriteItem = { Put: { TableName: engine.names.keys, Item: circular } };
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

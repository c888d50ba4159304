import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createDatabase } from '../../core/dynamodb/database.ts';
import { type TransactWrite, transact } from '../../core/dynamodb/transact.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { clientOf } from '../support/engine.ts';
import { always, onNthCall } from '../support/fault-choosers.ts';
import { testApi } from '../support/test-api.ts';

const api = testApi();
/** One attempt of the SDK for each of the transaction's own. */
let db: ReturnType<typeof clientOf>;
beforeAll(() => {
  db = clientOf(api.faults.endpoint, { maxAttempts: 1 });
});
afterAll(() => db.destroy());

const run = (writes: TransactWrite[], milliseconds = 20_000) => transact(db, writes, deadlineIn(milliseconds));

const add = (id: string): TransactWrite => ({
  Update: {
    TableName: api.engine.names.keys,
    Key: { id },
    UpdateExpression: 'ADD amount :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
});
const putNew = (id: string, more: Partial<NonNullable<TransactWrite['Put']>> = {}): TransactWrite => {
  const Item = { id, amount: 7 };
  return { Put: { TableName: api.engine.names.keys, Item, ConditionExpression: 'attribute_not_exists(id)', ...more } };
};

describe('A transaction', () => {
  it('is applied once when its response is lost, after any number of throttles', async () => {
    let requests = 0;
    api.faults.inject(() => {
      requests += 1;
      return requests === 1 ? 'resetAfter' : requests <= 6 ? 'throttle' : undefined;
    });
    expect(await run([add('throttled')])).toEqual({ committed: true });
    expect(requests).toBe(7);
    const key = { TableName: api.engine.names.keys, Key: { id: 'throttled' }, ConsistentRead: true };
    expect((await api.engine.client.send(new GetCommand(key))).Item).toEqual({ id: 'throttled', amount: 1 });
  });

  it('is sent again under the same token when one reason is transient, even beside a condition that failed', async () => {
    api.faults.inject(onNthCall(1, 'mixedCancellation'));
    expect(await run([putNew('first'), putNew('second')])).toEqual({ committed: true });
    const tokens = api.faults.calls.map(({ body }) => JSON.parse(body).ClientRequestToken);
    expect(tokens).toEqual([tokens[0], tokens[0]]);
  });

  it('names every condition that failed once no reason is transient', async () => {
    const [taken, free] = [putNew('taken'), putNew('free')];
    await run([taken]);
    api.faults.inject(onNthCall(1, 'mixedCancellation'));
    expect(await run([taken, free])).toEqual({ committed: false, failed: new Map([[taken, {}]]) });
  });

  it('returns the item found by a write whose condition failed as plain values, when the write asks for it', async () => {
    const write = putNew('found', { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
    await run([write]);
    const failed = new Map([[write, { id: 'found', amount: 7 }]]);
    expect(await run([write])).toEqual({ committed: false, failed });
  });

  it.each(['error', 'throttle', 'resetBefore', 'mixedCancellation'] as const)(
    'names at the deadline the error that it was retried for: %s',
    async (fault) => {
      api.faults.inject(always(fault));
      const cause = { $metadata: expect.anything() };
      await expect(run([add('late')], 500)).rejects.toMatchObject({ name: 'DeadlineExceeded', cause });
    },
  );

  it.each([
    ['shorter again, the more conflicts it has met', 'mixedCancellation', [100, 200, 400, 375, 240, 167, 122, 94]],
    ['ever longer while it is throttled', 'throttle', [25, 50, 100, 200, 400, 800, 1_000, 1_000]],
  ] as const)('waits %s', async (_when, fault, longest) => {
    const pauses: number[] = [];
    const pause = async (milliseconds: number) => void pauses.push(Math.round(milliseconds));
    const random = jest.spyOn(Math, 'random').mockReturnValue(1);
    api.faults.inject(() => (pauses.length < longest.length ? fault : undefined));
    try {
      expect(await transact(db, [add(fault)], { ...deadlineIn(20_000), pause })).toEqual({ committed: true });
    } finally {
      random.mockRestore();
    }
    expect(pauses).toEqual(longest);
  });

  it('that cannot be sent at all fails at once', async () => {
    const Item = { id: 'symbol', value: Symbol('no') };
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const functionsDb = createDatabase({ region: 'eu-west-2', endpoint: api.faults.endpoint, credentials });
    const sent = transact(functionsDb, [{ Put: { TableName: api.engine.names.keys, Item } }], deadlineIn(2_000));
    await expect(sent).rejects.toThrow(TypeError);
    functionsDb.destroy();
  });

  it('is not sent after the deadline', async () => {
    const send = jest.spyOn(db, 'send');
    await expect(run([add('past')], 0)).rejects.toThrow('deadline');
    expect(send).not.toHaveBeenCalled();
    send.mockRestore();
  });
});

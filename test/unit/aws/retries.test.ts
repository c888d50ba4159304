/** What is sent again after the attempts of the SDK: batches of reads, and transactions. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { batchGet } from '../../../core/aws/batch-get.ts';
import { createDatabase } from '../../../core/aws/database.ts';
import { isTransient, type TransactWrite, transact } from '../../../core/aws/transact.ts';
import { deadlineIn } from '../../../core/runtime/deadline.ts';
import { recordKey } from '../../../core/vehicles/vehicles-table.ts';
import { clientOf } from '../../support/engine.ts';
import { always, onNthCall } from '../../support/fault-choosers.ts';
import { aVehicle } from '../../support/records.ts';
import { useApi } from '../../support/use-api.ts';

const plates = Array.from({ length: 120 }, (_, index) => `P${index}`);
const api = useApi(({ loadVehicles }) => loadVehicles(...plates.map((plate) => aVehicle(plate))));
/** One attempt of the SDK for each of ours. */
let db: DynamoDBDocumentClient;
beforeAll(() => {
  db = clientOf(api.faults.endpoint, { maxAttempts: 1 });
});
afterAll(() => db.destroy());
afterEach(() => void jest.restoreAllMocks());

/** One batch of several that fails: test/api/lookups.test.ts. Partial until all is read: test/faults/matrix.test.ts. */
describe('A batch get', () => {
  /** The registrations that were read and that were not, each sorted, and the failure. */
  const readPlates = async (client = db, deadline = deadlineIn(20_000)) => {
    const table = api.engine.names.vehicles;
    const { items, unread, failure } = await batchGet(client, [{ table }], plates.map(recordKey), deadline);
    const [read = [], left = []] = [items, unread].map((keys) =>
      (keys.get(table) ?? []).map(({ registration }) => String(registration)).sort(),
    );
    return { read, unread: left, failure };
  };

  it('reports keys that are unprocessed at the deadline as unread, and returns what it read', async () => {
    api.faults.inject(always('partial'));
    // Each pause is the longest, or nearly: of 100 keys, halved each time, the last ones are not reached.
    jest.spyOn(Math, 'random').mockReturnValue(0.99);
    const { read, unread, failure } = await readPlates(db, deadlineIn(1_000));
    expect(unread.length).toBeGreaterThan(0);
    expect([...read, ...unread].sort()).toEqual(plates.toSorted());
    expect(failure).toMatchObject({ name: 'DeadlineExceeded', cause: { name: 'KeysUnprocessed' } });
  });

  it('retries for as long as it is throttled', async () => {
    api.faults.inject(() => (api.faults.calls.length <= 8 ? 'throttle' : undefined));
    expect(await readPlates()).toMatchObject({ unread: [], failure: undefined });
  });

  it('reports throttling of one batch before the deadline, so that the others are still answered', async () => {
    const deadline = deadlineIn(1_000);
    api.faults.inject(({ body }) => (body.includes('"P119"') ? 'throttle' : undefined));
    const { unread, failure } = await deadline.within(readPlates(db, deadline));
    expect(unread).toHaveLength(20);
    const cause = { name: 'ProvisionedThroughputExceededException' };
    expect(failure).toMatchObject({ name: 'DeadlineExceeded', cause });
  });

  it('reports a programming error of one batch', async () => {
    const mistaken = clientOf(api.faults.endpoint);
    mistaken.middlewareStack.add(
      (next) => async (args) => {
        if (JSON.stringify(args.input).includes('"P119"')) throw new TypeError('a mistake');
        return next(args);
      },
      { step: 'initialize' },
    );
    expect((await readPlates(mistaken)).failure).toBeInstanceOf(TypeError);
  });
});

describe('A transaction', () => {
  const run = (writes: TransactWrite[], milliseconds = 20_000) => transact(db, writes, deadlineIn(milliseconds));
  const add = (id: string): TransactWrite => {
    const UpdateExpression = 'ADD amount :one';
    const ExpressionAttributeValues = { ':one': 1 };
    return { Update: { TableName: api.engine.names.keys, Key: { id }, UpdateExpression, ExpressionAttributeValues } };
  };
  const putNew = (id: string, more: Partial<NonNullable<TransactWrite['Put']>> = {}): TransactWrite => {
    const Item = { id, amount: 7 };
    return {
      Put: { TableName: api.engine.names.keys, Item, ConditionExpression: 'attribute_not_exists(id)', ...more },
    };
  };

  it('is applied once when its response is lost, after any number of throttles', async () => {
    const faults = ['resetAfter', ...Array(5).fill('throttle')];
    api.faults.inject(() => faults.shift());
    expect(await run([add('throttled')])).toEqual({ committed: true });
    expect(api.faults.calls).toHaveLength(7);
    const key = { TableName: api.engine.names.keys, Key: { id: 'throttled' }, ConsistentRead: true };
    expect((await api.engine.client.send(new GetCommand(key))).Item).toEqual({ id: 'throttled', amount: 1 });
  });

  it('is sent again under the same token when one reason is transient, even beside a condition that failed', async () => {
    api.faults.inject(onNthCall(1, 'mixedCancellation'));
    expect(await run([putNew('first'), putNew('second')])).toEqual({ committed: true });
    const tokens = api.faults.calls.map(({ body }) => JSON.parse(body).ClientRequestToken);
    expect(tokens).toEqual([tokens[0], tokens[0]]);
  });

  it.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'is worth a retry when it was cancelled for %s',
    (Code) => {
      const CancellationReasons = [{ Code: 'None' }, { Code }];
      const cancelled = new TransactionCanceledException({ message: '', $metadata: {}, CancellationReasons });
      expect(isTransient(cancelled)).toBe(true);
    },
  );

  it('names every condition that failed, with the item that a write asks for as plain values', async () => {
    const [found, taken, free] = [
      putNew('found', { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      putNew('taken'),
      putNew('free'),
    ];
    await run([found, taken]);
    const failed = new Map<TransactWrite, object>([
      [found, { id: 'found', amount: 7 }],
      [taken, {}],
    ]);
    expect(await run([found, taken, free])).toEqual({ committed: false, failed });
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
    ['mixedCancellation', [25, 50, 100, 100, 100]],
    ['throttle', [25, 50, 100, 200, 400, 800, 1_000, 1_000]],
  ] as const)(
    'waits ever longer, up to a second and after a conflict up to 100 ms, while it meets the fault %s',
    async (fault, longest) => {
      const pauses: number[] = [];
      const pause = async (milliseconds: number) => void pauses.push(Math.round(milliseconds));
      jest.spyOn(Math, 'random').mockReturnValue(1);
      api.faults.inject(() => (pauses.length < longest.length ? fault : undefined));
      expect(await transact(db, [add(fault)], { ...deadlineIn(20_000), pause })).toEqual({ committed: true });
      expect(pauses).toEqual(longest);
    },
  );

  it('that cannot be sent at all fails at once', async () => {
    const Item = { id: 'symbol', value: Symbol('no') };
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const functionsDb = createDatabase({ region: 'eu-west-2', endpoint: api.faults.endpoint, credentials });
    const sent = transact(functionsDb, [{ Put: { TableName: api.engine.names.keys, Item } }], deadlineIn(2_000));
    await expect(sent).rejects.toThrow(TypeError);
    functionsDb.destroy();
  });

  it('is not sent after the deadline', async () => {
    await expect(run([add('past')], 0)).rejects.toThrow('deadline');
    expect(api.faults.calls).toEqual([]);
  });
});

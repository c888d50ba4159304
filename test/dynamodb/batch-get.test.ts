import type { BatchGetCommandInput, BatchGetCommandOutput, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { batchGet } from '../../functions/dynamodb/batch-get.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import { vehicleKey } from '../../functions/vehicles/vehicles-table.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { clientOf } from '../support/engine.ts';
import { aVehicle } from '../support/records.ts';

let api: TestApi;
const plates = Array.from({ length: 120 }, (_, index) => `P${index}`);

beforeAll(async () => {
  api = await startApi();
  await api.loadVehicles(...plates.map((plate) => aVehicle(plate)));
});
afterAll(() => api.stop());
afterEach(() => api.faults.reset());

/** Leaves part of each BatchGetItem unprocessed, as DynamoDB does under load; engines on one machine never do. */
const leavingUnprocessed = (keep: number, times: number): DynamoDBDocumentClient => {
  const client = clientOf(api.engine.endpoint);
  let left = times;
  client.middlewareStack.add(
    (next) => async (args) => {
      const { RequestItems = {} } = args.input as BatchGetCommandInput;
      const [table = '', request] = Object.entries(RequestItems)[0] ?? [];
      if (left === 0 || request?.Keys === undefined) return next(args);
      left -= 1;
      const answer = await next({
        ...args,
        input: { RequestItems: { [table]: { Keys: request.Keys.slice(0, keep) } } },
      } as typeof args);
      const output = answer.output as BatchGetCommandOutput;
      output.UnprocessedKeys = { [table]: { Keys: request.Keys.slice(keep) } };
      return answer;
    },
    { step: 'initialize' },
  );
  return client;
};

/** Without attempts of the SDK's own. */
const impatient = (): DynamoDBDocumentClient => clientOf(api.faults.endpoint, { maxAttempts: 1 });

const wanted = () => [{ table: api.engine.names.vehicles, keys: plates.map(vehicleKey) }];

describe('Reading many keys', () => {
  it('asks again for what was left unprocessed until all is read', async () => {
    const { items, unread } = await batchGet(leavingUnprocessed(30, 5), wanted(), deadlineIn(5_000));
    const read = items.get(api.engine.names.vehicles) ?? [];
    expect(new Set(read.map((item) => item.registration))).toEqual(new Set(plates));
    expect(read).toHaveLength(plates.length);
    expect(unread.size).toBe(0);
    expect(read[0]).toEqual(aVehicle(String(read[0]?.registration)));
  });

  it('reports what is still unprocessed at the deadline as unread, and keeps what it read', async () => {
    const { items, unread, failure } = await batchGet(
      leavingUnprocessed(1, Number.POSITIVE_INFINITY),
      wanted(),
      deadlineIn(1_000),
    );
    const read = (items.get(api.engine.names.vehicles) ?? []).map((item) => item.registration);
    const left = (unread.get(api.engine.names.vehicles) ?? []).map((key) => key.registration);
    expect(left.length).toBeGreaterThan(0);
    expect([...read, ...left].sort()).toEqual(plates.toSorted());
    expect(failure).toMatchObject({ name: 'DeadlineExceeded', cause: { name: 'KeysUnprocessed' } });
  });

  it('asks again for as long as it is throttled', async () => {
    let throttles = 0;
    api.faults.inject(() => {
      throttles += 1;
      return throttles <= 8 ? 'throttle' : undefined;
    });
    const { items, unread, failure } = await batchGet(impatient(), wanted(), deadlineIn(20_000));
    expect(items.get(api.engine.names.vehicles)).toHaveLength(plates.length);
    expect([unread.size, failure]).toEqual([0, undefined]);
  });

  it('says before the deadline what a part of it was throttled by, so that the others are still answered', async () => {
    const deadline = deadlineIn(1_000);
    api.faults.inject(({ body }) => (body.includes('"P119"') ? 'throttle' : undefined));
    const { unread, failure } = await deadline.within(batchGet(impatient(), wanted(), deadline));
    expect(unread.get(api.engine.names.vehicles)).toHaveLength(20);
    expect(failure).toMatchObject({
      name: 'DeadlineExceeded',
      cause: { name: 'ProvisionedThroughputExceededException' },
    });
  });

  it('tells what went wrong with a part of it, mistakes of our own included', async () => {
    api.faults.inject(({ body }) => (body.includes('"P119"') ? 'error' : undefined));
    const { failure } = await batchGet(impatient(), wanted(), deadlineIn(20_000));
    expect(failure).toMatchObject({ name: 'InternalServerError' });
    const mistaken = impatient();
    mistaken.middlewareStack.add(
      (next) => async (args) => {
        if (JSON.stringify(args.input).includes('"P119"')) throw new TypeError('a mistake');
        return next(args);
      },
      { step: 'initialize' },
    );
    expect((await batchGet(mistaken, wanted(), deadlineIn(20_000))).failure).toBeInstanceOf(TypeError);
  });

  it('reads a key once that is given twice', async () => {
    const keys = ['P1', 'P2', 'P1'].map(vehicleKey);
    const { items, failure } = await batchGet(
      api.engine.client,
      [{ table: api.engine.names.vehicles, keys }],
      deadlineIn(20_000),
    );
    const read = (items.get(api.engine.names.vehicles) ?? []).map((item) => item.registration);
    expect([read.sort(), failure]).toEqual([['P1', 'P2'], undefined]);
  });

  it('reads nothing for no keys', async () => {
    const { items, unread } = await batchGet(api.engine.client, [], deadlineIn(100));
    expect([items.size, unread.size]).toEqual([0, 0]);
  });
});

import type { BatchGetItemCommand, BatchGetItemCommandOutput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { batchGet } from '../../functions/runtime/batch-get.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import { vehicleItem, vehicleKey } from '../../functions/vehicles/vehicles-table.ts';
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

/** Leaves part of each BatchGetItem unprocessed, as DynamoDB does under load; engines on one machine never do. */
const leavingUnprocessed = (keep: number, times: number): DynamoDBClient => {
  const client = clientOf(api.engine.endpoint);
  let left = times;
  client.middlewareStack.add(
    (next) => async (args) => {
      const { RequestItems = {} } = args.input as BatchGetItemCommand['input'];
      const [table = '', request] = Object.entries(RequestItems)[0] ?? [];
      if (left === 0 || request?.Keys === undefined) return next(args);
      left -= 1;
      const answer = await next({
        ...args,
        input: { RequestItems: { [table]: { Keys: request.Keys.slice(0, keep) } } },
      } as typeof args);
      const output = answer.output as BatchGetItemCommandOutput;
      output.UnprocessedKeys = { [table]: { Keys: request.Keys.slice(keep) } };
      return answer;
    },
    { step: 'initialize' },
  );
  return client;
};

const wanted = () => [{ table: api.engine.names.vehicles, keys: plates.map(vehicleKey) }];

describe('Reading many keys', () => {
  it('asks again for what was left unprocessed until all is read', async () => {
    const { items, unread } = await batchGet(leavingUnprocessed(30, 5), wanted(), deadlineIn(5_000));
    const read = items.get(api.engine.names.vehicles) ?? [];
    expect(new Set(read.map((item) => item.registration?.S))).toEqual(new Set(plates));
    expect(read).toHaveLength(plates.length);
    expect(unread.size).toBe(0);
    expect(read[0]).toEqual(vehicleItem(aVehicle(read[0]?.registration?.S ?? '')));
  });

  it('reports what is still unprocessed at the deadline as unread, and keeps what it read', async () => {
    const { items, unread } = await batchGet(
      leavingUnprocessed(1, Number.POSITIVE_INFINITY),
      wanted(),
      deadlineIn(200),
    );
    const read = (items.get(api.engine.names.vehicles) ?? []).map((item) => item.registration?.S);
    const left = (unread.get(api.engine.names.vehicles) ?? []).map((key) => key.registration?.S);
    expect(left.length).toBeGreaterThan(0);
    expect([...read, ...left].sort()).toEqual(plates.toSorted());
  });

  it('reads nothing for no keys', async () => {
    const { items, unread } = await batchGet(api.engine.client, [], deadlineIn(100));
    expect([items.size, unread.size]).toEqual([0, 0]);
  });
});

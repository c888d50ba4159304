import type { BatchGetCommandInput, BatchGetCommandOutput, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { batchGet } from '../../core/dynamodb/batch-get.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { vehicleKey } from '../../core/vehicles/vehicles-table.ts';
import { clientOf } from '../support/engine.ts';
import { aVehicle } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';

const plates = Array.from({ length: 120 }, (_, index) => `P${index}`);
const api = testApi(({ loadVehicles }) => loadVehicles(...plates.map((plate) => aVehicle(plate))));

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
      const input = { RequestItems: { [table]: { Keys: request.Keys.slice(0, keep) } } };
      const answer = await next({ ...args, input } as typeof args);
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

/** The vehicles that were read, the registrations of all and of the unread ones, and the failure. */
const readPlates = async (db: DynamoDBDocumentClient, deadline = deadlineIn(20_000), wanted = plates) => {
  const table = api.engine.names.vehicles;
  const { items, unread, failure } = await batchGet(db, [{ table, keys: wanted.map(vehicleKey) }], deadline);
  const vehicles = items.get(table) ?? [];
  const read = vehicles.map(({ registration }) => String(registration));
  return { vehicles, read, unread: (unread.get(table) ?? []).map(({ registration }) => String(registration)), failure };
};

describe('A batch get', () => {
  it('reads unprocessed keys again until all are read', async () => {
    const { vehicles, read, unread } = await readPlates(leavingUnprocessed(30, 5));
    expect([read.toSorted(), unread]).toEqual([plates.toSorted(), []]);
    expect(vehicles[0]).toEqual(aVehicle(read[0] ?? ''));
  });

  it('reports keys that are unprocessed at the deadline as unread, and returns what it read', async () => {
    const never = leavingUnprocessed(1, Number.POSITIVE_INFINITY);
    const { read, unread, failure } = await readPlates(never, deadlineIn(1_000));
    expect(unread.length).toBeGreaterThan(0);
    expect([...read, ...unread].sort()).toEqual(plates.toSorted());
    expect(failure).toMatchObject({ name: 'DeadlineExceeded', cause: { name: 'KeysUnprocessed' } });
  });

  it('retries for as long as it is throttled', async () => {
    let throttles = 0;
    api.faults.inject(() => {
      throttles += 1;
      return throttles <= 8 ? 'throttle' : undefined;
    });
    const { read, unread, failure } = await readPlates(impatient());
    expect([read.length, unread, failure]).toEqual([plates.length, [], undefined]);
  });

  it('reports throttling of one batch before the deadline, so that the others are still answered', async () => {
    const deadline = deadlineIn(1_000);
    api.faults.inject(({ body }) => (body.includes('"P119"') ? 'throttle' : undefined));
    const { unread, failure } = await deadline.within(readPlates(impatient(), deadline));
    expect(unread).toHaveLength(20);
    const cause = { name: 'ProvisionedThroughputExceededException' };
    expect(failure).toMatchObject({ name: 'DeadlineExceeded', cause });
  });

  it('reports the error of one batch, even a programming error', async () => {
    api.faults.inject(({ body }) => (body.includes('"P119"') ? 'error' : undefined));
    expect((await readPlates(impatient())).failure).toMatchObject({ name: 'InternalServerError' });
    const mistaken = impatient();
    mistaken.middlewareStack.add(
      (next) => async (args) => {
        if (JSON.stringify(args.input).includes('"P119"')) throw new TypeError('a mistake');
        return next(args);
      },
      { step: 'initialize' },
    );
    expect((await readPlates(mistaken)).failure).toBeInstanceOf(TypeError);
  });

  it('reads nothing for no keys', async () => {
    const { items, unread } = await batchGet(api.engine.client, [], deadlineIn(100));
    expect([items.size, unread.size]).toEqual([0, 0]);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Reply, startApi, type TestApi } from '../support/api.ts';
import { catchOutput } from '../support/caught-output.ts';
import { fillDomain } from '../support/content.ts';
import { forOperation } from '../support/fault-choosers.ts';
import { aCompliance, aVehicle } from '../support/records.ts';

let api: TestApi;
let key: string;

beforeAll(async () => {
  process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';
  api = await startApi({ logLevel: 'INFO' });
  key = await api.newKey();
  await api.loadVehicles(aVehicle('AB12CDE'));
  await api.loadCompliance(aCompliance('AB12CDE'));
  await fillDomain(api.engine.client, api.engine.names.content, 'partial.example', 4);
});
afterAll(() => api.stop());
afterEach(() => {
  jest.restoreAllMocks();
  api.faults.reset();
});

/** 102 registrations, of which the last two are a batch of their own. */
const registrations = Array.from({ length: 102 }, (_, index) => `P${index}`);

/** The answer to a request, and what the operator is told of it. */
const toldOf = async (ask: () => Promise<Reply>) => {
  const lines = catchOutput();
  const reply = await ask();
  jest.restoreAllMocks();
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    reply,
    failures: told.filter(({ message }) => message === 'failure'),
    faults: told.flatMap(({ DatabaseErrors }) => DatabaseErrors ?? []),
  };
};

const verify = () => toldOf(() => api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: { registrations } }));

describe('A bulk answer of which a batch could not be read', () => {
  it('is a success to its caller and a fault of the database to the operator', async () => {
    api.faults.inject(({ body }) => (body.includes('"P101"') ? 'resetBefore' : undefined));
    const { reply, failures, faults } = await verify();
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ processed: 102, failed: 102 });
    const { results } = reply.body as { results: { code: string }[] };
    expect(results.filter(({ code }) => code === 'LOOKUP_UNAVAILABLE')).toHaveLength(2);
    expect(Object.keys(reply.body as object)).not.toContain('failure');
    expect(failures).toMatchObject([
      { requestId: reply.headers.get('x-request-id'), failure: { awsAttempts: 3, frames: expect.anything() } },
    ]);
    expect(faults).toEqual([1]);
  });

  it('is none of that when all could be read', async () => {
    const { reply, failures, faults } = await verify();
    expect(reply.status).toBe(200);
    expect([failures, faults]).toEqual([[], [0]]);
  });
});

describe.each([
  ['A verdict', '/v1/compliance/AB12CDE'],
  ['A page of content', '/v1/api/content?domain=partial.example'],
])('%s of which a half could not be read', (_what, path) => {
  it('is a fault of the database, to the operator too', async () => {
    let reads = 0;
    const halfThenNothing = forOperation('BatchGetItem', () => {
      reads += 1;
      return reads === 1 ? 'partial' : 'error';
    });
    api.faults.inject(halfThenNothing);
    const { reply, failures, faults } = await toldOf(() => api.call('GET', path, { key }));
    expect(reply.status).toBe(500);
    expect(failures).toMatchObject([{ failure: { name: 'InternalServerError' } }]);
    expect(faults).toEqual([1]);
  });
});

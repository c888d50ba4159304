import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Reply } from '../support/api.ts';
import { catchOutput } from '../support/caught-output.ts';
import { fillDomain } from '../support/content.ts';
import { forOperation } from '../support/fault-choosers.ts';
import { aCompliance, aVehicle } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';

process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';
const api = testApi(
  async ({ engine, loadVehicles, loadCompliance }) => {
    await loadVehicles(aVehicle('AB12CDE'));
    await loadCompliance(aCompliance('AB12CDE'));
    await fillDomain(engine.client, engine.names.content, 'partial.example', 4);
  },
  { logLevel: 'INFO' },
);
afterEach(() => {
  jest.restoreAllMocks();
});

/** 102 registrations, of which the last two are a batch of their own. */
const registrations = Array.from({ length: 102 }, (_, index) => `P${index}`);

/** The reply to a request, what was logged of failures, and the metric of database errors. */
const observe = async (ask: () => Promise<Reply>) => {
  const lines = catchOutput();
  const reply = await ask();
  jest.restoreAllMocks();
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    reply,
    failures: logged.filter(({ message }) => message === 'failure'),
    errors: logged.flatMap(({ DatabaseErrors }) => DatabaseErrors ?? []),
  };
};

describe('A bulk response', () => {
  const verify = () =>
    observe(() => api.call('POST', '/v1/vehicle/bulk-insurance', { key: api.key, json: { registrations } }));

  it('with an unread batch is 200, logged as a failure and counted as a database error', async () => {
    api.faults.inject(({ body }) => (body.includes('"P101"') ? 'resetBefore' : undefined));
    const { reply, failures, errors } = await verify();
    expect(reply).toMatchObject({ status: 200, body: { processed: 102, failed: 102 } });
    const { results } = reply.body as { results: { code: string }[] };
    expect(results.filter(({ code }) => code === 'LOOKUP_UNAVAILABLE')).toHaveLength(2);
    expect(Object.keys(reply.body as object)).not.toContain('failure');
    const failure = { awsAttempts: 3, frames: expect.anything() };
    expect(failures).toMatchObject([{ requestId: reply.headers.get('x-request-id'), failure }]);
    expect(errors).toEqual([1]);
  });

  it('that is complete is neither logged as a failure nor counted', async () => {
    const { reply, failures, errors } = await verify();
    expect([reply.status, failures, errors]).toEqual([200, [], []]);
  });
});

it.each([
  ['verdict', '/v1/compliance/AB12CDE'],
  ['page of content', '/v1/api/content?domain=partial.example'],
])('A %s of which half was unread is 500, logged and counted as a database error', async (_what, path) => {
  let reads = 0;
  const halfThenNothing = forOperation('BatchGetItem', () => {
    reads += 1;
    return reads === 1 ? 'partial' : 'error';
  });
  api.faults.inject(halfThenNothing);
  const { reply, failures, errors } = await observe(() => api.call('GET', path, { key: api.key }));
  expect(reply.status).toBe(500);
  expect(failures).toMatchObject([{ failure: { name: 'InternalServerError' } }]);
  expect(errors).toEqual([1]);
});

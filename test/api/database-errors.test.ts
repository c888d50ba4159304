import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Reply } from '../support/api.ts';
import { catchOutput } from '../support/caught-output.ts';
import { fillDomain, someFields } from '../support/content.ts';
import { forOperation, onNthCall } from '../support/fault-choosers.ts';
import { aCompliance, aVehicle } from '../support/records.ts';
import { rateLimitOf, testApi } from '../support/test-api.ts';

process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';

const CONTENT = '/v1/api/content';
const call = (method: string, path: string, json?: object) =>
  api.call(method, path, { key: api.key, ...(json && { json }) });

const api = testApi(
  async ({ engine, loadVehicles, loadCompliance }) => {
    await loadVehicles(aVehicle('AB12CDE'));
    await loadCompliance(aCompliance('AB12CDE'));
    await fillDomain(engine.client, engine.names.content, 'partial.example', 4);
  },
  { logLevel: 'INFO' },
);

let written: readonly string[];
beforeEach(() => {
  written = catchOutput();
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** What was logged of failures, and the metric of database errors. */
const logged = () => {
  const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    failures: lines.filter(({ message }) => message === 'failure'),
    errors: lines.flatMap(({ DatabaseErrors }) => DatabaseErrors ?? []),
  };
};

/** Every endpoint under every fault: `npm run test:faults`. Lost responses of changes: `npm run test:orders`. */
describe('While its tables cannot be read', () => {
  it.each<[string, () => Promise<Reply>, number]>([
    ['a lookup', () => call('GET', '/v1/vehicle/AB12CDE/insurance'), 200],
    ['a bulk request', () => call('POST', '/v1/vehicle/bulk-insurance', { registrations: ['AB12CDE'] }), 200],
    ['a change', () => call('POST', CONTENT, someFields('a.example', 'during-errors')), 201],
  ])('%s is 500 with the real rate limit and Retry-After, and succeeds afterwards', async (_what, send, healthy) => {
    api.faults.inject(({ body }) => (/-(vehicles|compliance|content)"/.test(body) ? 'error' : undefined));
    const reply = await send();
    expect([reply.status, reply.headers.get('retry-after'), rateLimitOf(reply)[0]]).toEqual([500, '1', '6000']);
    api.faults.reset();
    expect((await send()).status).toBe(healthy);
  });
});

describe('A bulk response', () => {
  /** The last two are a batch of their own. */
  const registrations = Array.from({ length: 102 }, (_, index) => `P${index}`);
  const verify = () => call('POST', '/v1/vehicle/bulk-insurance', { registrations });

  it('with an unread batch is 200, logged as a failure and counted as a database error', async () => {
    api.faults.inject(({ body }) => (body.includes('"P101"') ? 'resetBefore' : undefined));
    const { status, headers, body } = await verify();
    const codes = (body as { results: { code: string }[] }).results.map(({ code }) => code);
    expect([status, codes]).toEqual([
      200,
      [...Array(100).fill('VEHICLE_NOT_FOUND'), ...Array(2).fill('LOOKUP_UNAVAILABLE')],
    ]);
    const failure = { awsAttempts: 3, frames: expect.anything() };
    expect(logged()).toMatchObject({ failures: [{ requestId: headers.get('x-request-id'), failure }], errors: [1] });
  });

  it('that is complete is neither logged as a failure nor counted', async () => {
    await verify();
    expect(logged()).toEqual({ failures: [], errors: [] });
  });
});

it.each([
  ['verdict', '/v1/compliance/AB12CDE'],
  ['page of content', `${CONTENT}?domain=partial.example`],
])('A %s of which half was unread is 500, logged and counted as a database error', async (_what, path) => {
  const half = onNthCall(1, 'partial');
  api.faults.inject(forOperation('BatchGetItem', (request) => half(request) ?? 'error'));
  expect((await call('GET', path)).status).toBe(500);
  expect(logged()).toMatchObject({ failures: [{ failure: { name: 'InternalServerError' } }], errors: [1] });
});

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { hashKey, keyIdOf } from '../../functions/access/api-key.ts';
import { windowAt } from '../../functions/access/plans.ts';
import { type Call, type Reply, startApi, type TestApi } from '../support/api.ts';
import { catchOutput } from '../support/caught-output.ts';
import { NOON } from '../support/clock.ts';
import { aCompliance, aVehicle } from '../support/records.ts';

/** Values that must not be found in any log line. */
const PLATE = 'CANARY77';
const BODY = 'canary-in-the-body';

let api: TestApi;
let key: string;
let narrow: string;
let exhausted: string;
const lines: string[] = [];

beforeAll(async () => {
  api = await startApi({ logLevel: 'DEBUG' });
  key = await api.newKey();
  narrow = await api.newKey({ scopes: ['compliance:read'] });
  exhausted = await api.newKey({ plan: 'free' });
  await api.loadVehicles(aVehicle('AB12CDE'), aVehicle(PLATE));
  await api.loadCompliance(aCompliance('AB12CDE'), aCompliance(PLATE));
  const window = windowAt(new Date(NOON));
  await Promise.all(Array.from({ length: 60 }, () => api.usage.increment(keyIdOf(hashKey(exhausted)), window)));
});
afterAll(() => api.stop());
afterEach(() => {
  jest.restoreAllMocks();
});

const item = (slug: string) => ({ title: BODY, content: BODY, domain: 'canary.example', slug });

/** One request for every status and endpoint. */
const cases: readonly (readonly [string, number, () => Promise<Reply>])[] = [
  ['an insurance look-up', 200, () => call('GET', `/v1/vehicle/${PLATE}/insurance`)],
  ['a bulk verification', 200, () => call('POST', '/v1/vehicle/bulk-insurance', { json: { registrations: [PLATE] } })],
  ['a compliance verdict', 200, () => call('GET', `/v1/compliance/${PLATE}`)],
  ['a list', 200, () => call('GET', '/v1/api/content?domain=canary.example')],
  ['a creation', 201, () => call('POST', '/v1/api/content', { json: item('first') })],
  ['a taken slug', 409, () => call('POST', '/v1/api/content', { json: item('first') })],
  ['an invalid registration', 400, () => call('GET', `/v1/vehicle/${PLATE}_/insurance`)],
  [
    'malformed JSON',
    400,
    () => call('POST', '/v1/api/content', { raw: `{"${BODY}`, headers: { 'Content-Type': 'application/json' } }),
  ],
  ['no key', 401, () => api.call('GET', `/v1/vehicle/${PLATE}/insurance`)],
  ['a missing scope', 403, () => api.call('GET', `/v1/vehicle/${PLATE}/insurance`, { key: narrow })],
  ['an unknown vehicle', 404, () => call('GET', `/v1/vehicle/X${PLATE}/insurance`)],
  ['an unknown path', 404, () => call('GET', `/v1/${PLATE}`)],
  ['another method', 405, () => call('PATCH', '/v1/api/content')],
  ['an unmet precondition', 412, changeOfAnotherVersion],
  ['a used-up window', 429, () => api.call('GET', `/v1/compliance/${PLATE}`, { key: exhausted })],
  ['a fault of ours', 500, brokenLookUp],
];

function call(method: string, path: string, options: Call = {}) {
  return api.call(method, path, { key, ...options });
}

async function changeOfAnotherVersion() {
  const { body } = await call('GET', '/v1/api/content?domain=canary.example&slug=first');
  const [{ id }] = (body as { items: [{ id: string }] }).items;
  return call('PUT', `/v1/api/content/${id}`, { json: { title: BODY }, headers: { 'If-Match': '"9"' } });
}

async function brokenLookUp() {
  api.faults.inject(({ body }) => (body.includes(PLATE) ? 'error' : undefined));
  const reply = await call('GET', `/v1/vehicle/${PLATE}/insurance`);
  api.faults.reset();
  return reply;
}

describe.each(cases)('The answer to %s (%i)', (_what, status, ask) => {
  it('carries the rate limit, a request id and the security headers', async () => {
    const caught = catchOutput();
    const reply = await ask();
    lines.push(...caught);
    expect(reply.status).toBe(status);
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
      expect(reply.headers.get(name)).toMatch(/^\d+$/);
    }
    expect(reply.headers.get('x-request-id')).toMatch(/\S+/);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    if (status >= 400 && reply.text !== '') {
      expect(reply.headers.get('content-type')).toBe('application/problem+json');
      expect(reply.body).toMatchObject({ status, requestId: reply.headers.get('x-request-id') });
      expect(reply.text).not.toMatch(/ at \S+:\d|node_modules|dynamo|Exception|test-[0-9a-f]/i);
    }
  });
});

describe('The log', () => {
  it('has a line per request, without a registration, a key or a body', async () => {
    const output = lines.join('');
    expect(output).toContain('"endpoint":"vehicle-insurance"');
    expect(output).toContain('"status":500');
    for (const secret of [PLATE, BODY, key, narrow, exhausted, key.slice(9)]) expect(output).not.toContain(secret);
  });
});

import { afterEach, expect, it, jest } from '@jest/globals';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { windowAt } from '../../core/access/plans.ts';
import type { Call, Reply } from '../support/api.ts';
import { catchOutput } from '../support/caught-output.ts';
import { NOON } from '../support/clock.ts';
import { aCompliance, aVehicle } from '../support/records.ts';
import { rateLimitOf, testApi } from '../support/test-api.ts';

/** Values that must not be found in any log line. */
const PLATE = 'CANARY77';
const BODY = 'canary-in-the-body';

let narrow: string;
let exhausted: string;
const lines: string[] = [];

const api = testApi(
  async ({ newKey, loadVehicles, loadCompliance, usage }) => {
    narrow = await newKey({ scopes: ['compliance:read'] });
    exhausted = await newKey({ plan: 'free' });
    await loadVehicles(aVehicle('AB12CDE'), aVehicle(PLATE));
    await loadCompliance(aCompliance('AB12CDE'), aCompliance(PLATE));
    const window = windowAt(new Date(NOON));
    await Promise.all(Array.from({ length: 60 }, () => usage.increment(keyIdOf(hashKey(exhausted)), window)));
  },
  { logLevel: 'DEBUG' },
);
afterEach(() => {
  jest.restoreAllMocks();
});

const LOOKUP = `/v1/vehicle/${PLATE}/insurance`;
const CONTENT = '/v1/api/content';
const item = { title: BODY, content: BODY, domain: 'canary.example', slug: 'first' };
const call = (method: string, path: string, options: Call = {}) => api.call(method, path, { key: api.key, ...options });

const changeOfAnotherVersion = async () => {
  const { body } = await call('GET', `${CONTENT}?domain=canary.example&slug=first`);
  const [{ id }] = (body as { items: [{ id: string }] }).items;
  return call('PUT', `${CONTENT}/${id}`, { json: { title: BODY }, headers: { 'If-Match': '"9"' } });
};

const lookupWithoutDatabase = () => {
  api.faults.inject(({ body }) => (body.includes(PLATE) ? 'error' : undefined));
  return call('GET', LOOKUP);
};

/** One request for every status and endpoint. */
const cases: readonly (readonly [string, number, () => Promise<Reply>])[] = [
  ['an insurance lookup', 200, () => call('GET', LOOKUP)],
  ['a bulk verification', 200, () => call('POST', '/v1/vehicle/bulk-insurance', { json: { registrations: [PLATE] } })],
  ['a compliance verdict', 200, () => call('GET', `/v1/compliance/${PLATE}`)],
  ['a list', 200, () => call('GET', `${CONTENT}?domain=canary.example`)],
  ['a creation', 201, () => call('POST', CONTENT, { json: item })],
  ['a taken slug', 409, () => call('POST', CONTENT, { json: item })],
  ['an invalid registration', 400, () => call('GET', `/v1/vehicle/${PLATE}_/insurance`)],
  [
    'malformed JSON',
    400,
    () => call('POST', CONTENT, { raw: `{"${BODY}`, headers: { 'Content-Type': 'application/json' } }),
  ],
  ['no key', 401, () => api.call('GET', LOOKUP)],
  ['a missing scope', 403, () => call('GET', LOOKUP, { key: narrow })],
  ['an unknown vehicle', 404, () => call('GET', `/v1/vehicle/X${PLATE}/insurance`)],
  ['an unknown path', 404, () => call('GET', `/v1/${PLATE}`)],
  ['another method', 405, () => call('PATCH', CONTENT)],
  ['an unmet precondition', 412, changeOfAnotherVersion],
  ['a used-up window', 429, () => call('GET', `/v1/compliance/${PLATE}`, { key: exhausted })],
  ['a database error', 500, lookupWithoutDatabase],
];

it.each(cases)(
  'The response to %s (%i) has the rate limit, a request id and the security headers',
  async (_what, status, ask) => {
    const caught = catchOutput();
    const reply = await ask();
    lines.push(...caught);
    expect(reply.status).toBe(status);
    for (const value of rateLimitOf(reply)) expect(value).toMatch(/^\d+$/);
    expect(reply.headers.get('x-request-id')).toMatch(/\S+/);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    if (status < 400) return;
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    expect(reply.body).toMatchObject({ status, requestId: reply.headers.get('x-request-id') });
    expect(reply.text).not.toMatch(/ at \S+:\d|node_modules|dynamo|Exception|test-[0-9a-f]/i);
  },
);

it('The log has a line per request, without a registration, a key or a body', () => {
  const output = lines.join('');
  expect(output).toContain('"endpoint":"vehicle-insurance"');
  expect(output).toContain('"status":500');
  const secrets = [PLATE, BODY, api.key, narrow, exhausted, api.key.slice(9)];
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
});

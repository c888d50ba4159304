import { describe, expect, it } from '@jest/globals';
import { generateKey, hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import type { Call } from '../support/api.ts';
import { NOON } from '../support/clock.ts';
import { always, forOperation } from '../support/fault-choosers.ts';
import { aVehicle } from '../support/records.ts';
import { RESET, rateLimitOf, testApi } from '../support/test-api.ts';

const api = testApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')));

const lookUp = (options: Call, registration = 'AB12CDE') =>
  api.call('GET', `/v1/vehicle/${registration}/insurance`, options);
const statusWith = async (key: string) => (await lookUp({ key })).status;
const idOf = (text: string) => keyIdOf(hashKey(text));

/** Every form of the two headers: test/access/api-key.test.ts. */
describe('An API key', () => {
  it.each<[string, (key: string) => Record<string, string>]>([
    ['Authorization: Bearer, in any case', (key) => ({ authorization: `bEaReR ${key}` })],
    ['X-API-Key', (key) => ({ 'X-API-Key': key })],
    ['X-API-Key beside an Authorization of another scheme', (key) => ({ Authorization: 'Basic x', 'X-API-Key': key })],
  ])('is accepted as %s', async (_form, headers) => {
    expect((await lookUp({ headers: headers(api.key) })).status).toBe(200);
  });

  it.each<[string, (key: string) => Record<string, string>]>([
    ['missing', () => ({})],
    ['malformed', () => ({ 'X-API-Key': 'hunter2' })],
    ['mistyped: its checksum is wrong', (key) => ({ 'X-API-Key': key.slice(0, -1) + (key.endsWith('0') ? '1' : '0') })],
    ['unknown', () => ({ 'X-API-Key': generateKey('live') })],
    ['different in the two headers', (key) => ({ Authorization: `Bearer ${key}`, 'X-API-Key': generateKey('test') })],
    ['given twice', (key) => ({ 'X-API-Key': `${key}, ${key}` })],
  ])('is rejected with the same 401 when it is %s', async (_case, headers) => {
    const reply = await lookUp({ headers: headers(api.key) });
    expect(reply.status).toBe(401);
    expect(reply.body).toEqual({
      type: expect.any(String),
      title: 'Unauthorized',
      status: 401,
      detail: 'Send a valid API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
      code: 'UNAUTHORIZED',
      requestId: reply.headers.get('x-request-id'),
    });
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    expect(rateLimitOf(reply)).toEqual(['0', '0', RESET]);
  });

  it('is rejected immediately after it is revoked', async () => {
    const revoked = await api.newKey();
    expect(await statusWith(revoked)).toBe(200);
    await api.keys.revoke(idOf(revoked), new Date(NOON).toISOString());
    expect(await statusWith(revoked)).toBe(401);
  });

  it('is valid through the day it expires on, in London, and not a second longer', async () => {
    const expiring = await api.newKey({ expires: '2026-06-15' });
    api.clock.now = Date.parse('2026-06-15T22:59:59Z');
    expect(await statusWith(expiring)).toBe(200);
    api.clock.now = Date.parse('2026-06-15T23:00:00Z');
    expect(await statusWith(expiring)).toBe(401);
  });

  it('that is unknown gets the same response for a known, an unknown and an invalid registration', async () => {
    const key = generateKey('test');
    const replies = await Promise.all(['AB12CDE', 'ZZ99ZZZ', 'not_a_plate'].map((plate) => lookUp({ key }, plate)));
    const bodies = replies.map(({ body }) => ({ ...(body as object), requestId: '' }));
    expect(bodies).toEqual(Array(3).fill(bodies[0]));
  });
});

describe('A scope', () => {
  it.each([
    ['vehicles:read', 'GET', '/v1/vehicle/AB12CDE/insurance'],
    ['vehicles:read', 'POST', '/v1/vehicle/bulk-insurance'],
    ['compliance:read', 'GET', '/v1/compliance/AB12CDE'],
    ['compliance:read', 'POST', '/v1/vehicle/bulk-compliance'],
    ['content:read', 'GET', '/api/content'],
    ['content:read', 'GET', '/v1/api/content/some-id'],
    ['content:write', 'POST', '/v1/api/content'],
    ['content:write', 'PUT', '/api/content/some-id'],
    ['content:write', 'DELETE', '/api/content/some-id'],
  ] as const)('%s is needed for %s %s: 403 comes before every issue of the request', async (scope, method, path) => {
    const without = await api.newKey({ scopes: SCOPES.filter((other) => other !== scope) });
    const reply = await api.call(method, path, { key: without });
    const body = { code: 'SCOPE_MISSING', title: 'Forbidden', detail: expect.stringContaining(scope) };
    expect(reply).toMatchObject({ status: 403, body });
    expect(rateLimitOf(reply)[1]).toBe('5999');
    const alone = await api.newKey({ scopes: [scope] });
    expect((await api.call(method, path, { key: alone })).status).not.toBe(403);
  });

  it('is not needed for a path that does not exist', async () => {
    const narrow = await api.newKey({ scopes: ['content:read'] });
    expect((await api.call('GET', '/v1/nothing', { key: narrow })).status).toBe(404);
  });
});

describe('Admission fails closed', () => {
  it.each([
    ['the key cannot be read', 'GetItem'],
    ['the request cannot be counted', 'UpdateItem'],
  ])('with 500 when %s', async (_what, operation) => {
    api.faults.inject(forOperation(operation, always('error')));
    const reply = await api.call('GET', '/v1/compliance/AB12CDE', { key: api.key });
    expect(reply).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR', title: 'Internal Server Error' } });
    expect(rateLimitOf(reply)).toEqual(['0', '0', RESET]);
  });

  it('with 429 when the counter itself is throttled', async () => {
    api.faults.inject(forOperation('UpdateItem', always('throttle')));
    const reply = await lookUp({ key: api.key });
    expect(reply).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(rateLimitOf(reply)).toEqual(['6000', '0', RESET]);
    expect(reply.headers.get('retry-after')).toBe('50');
  });
});

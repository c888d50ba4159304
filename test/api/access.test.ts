import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey, hashKey, keyIdOf } from '../../functions/access/api-key.ts';
import { type Call, startApi, type TestApi } from '../support/api.ts';
import { NOON } from '../support/clock.ts';
import { aVehicle } from '../support/records.ts';

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
  await api.loadVehicles(aVehicle('AB12CDE'));
});
afterAll(() => api.stop());

const lookUp = (options: Call) => api.call('GET', '/v1/vehicle/AB12CDE/insurance', options);
const withHeaders = (headers: Record<string, string>) => lookUp({ headers });
const idOf = (text: string) => keyIdOf(hashKey(text));

describe('An API key', () => {
  it.each([
    ['Authorization: Bearer', () => ({ Authorization: `Bearer ${key}` })],
    ['Authorization: bearer, in any case', () => ({ authorization: `bEaReR ${key}` })],
    ['X-API-Key', () => ({ 'X-API-Key': key })],
    ['Authorization beside a blank X-API-Key', () => ({ Authorization: `Bearer ${key}`, 'X-API-Key': '' })],
    ['X-API-Key beside a blank Authorization', () => ({ Authorization: '', 'X-API-Key': key })],
    ['X-API-Key beside an Authorization of another scheme', () => ({ Authorization: 'Basic abc', 'X-API-Key': key })],
    ['X-API-Key beside another scheme that quotes a key', () => ({ Authorization: `Key ${key}x`, 'X-API-Key': key })],
    ['both headers with the same key', () => ({ Authorization: `Bearer ${key}`, 'X-API-Key': key })],
  ])('is accepted as %s', async (_form, headers) => {
    expect((await withHeaders(headers())).status).toBe(200);
  });

  it.each([
    ['missing', () => ({})],
    ['malformed', () => ({ 'X-API-Key': 'hunter2' })],
    ['empty', () => ({ 'X-API-Key': '' })],
    [
      'mistyped, so that its checksum is wrong',
      () => ({ 'X-API-Key': key.slice(0, -1) + (key.endsWith('0') ? '1' : '0') }),
    ],
    ['unknown', () => ({ 'X-API-Key': generateKey('live') })],
    ['sent with another scheme', () => ({ Authorization: `Basic ${key}` })],
    ['different in the two headers', () => ({ Authorization: `Bearer ${key}`, 'X-API-Key': generateKey('test') })],
    ['beside a Bearer without a key', () => ({ Authorization: 'Bearer', 'X-API-Key': key })],
    ['beside a malformed Bearer', () => ({ Authorization: 'Bearer abc', 'X-API-Key': key })],
    ['given twice', () => ({ 'X-API-Key': `${key}, ${key}` })],
  ])('that is %s is 401, always the same', async (_case, headers) => {
    const { status, headers: sent, body } = await withHeaders(headers());
    expect(status).toBe(401);
    expect(body).toEqual({
      type: expect.any(String),
      title: 'Unauthorized',
      status: 401,
      detail: 'Send a valid API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
      code: 'UNAUTHORIZED',
      requestId: sent.get('x-request-id'),
    });
    expect(sent.get('www-authenticate')).toBe('Bearer');
    expect(sent.get('x-ratelimit-limit')).toBe('0');
    expect(sent.get('x-ratelimit-remaining')).toBe('0');
    expect(sent.get('x-ratelimit-reset')).toBe(String(Date.parse('2026-06-15T12:01:00Z') / 1_000));
  });

  it('of the wrong shape or checksum never reaches the database', async () => {
    api.faults.reset();
    await lookUp({ key: 'vvc_live_0123456789012345678901234567890AAAAA' });
    await lookUp({ key: `${key}x` });
    expect(api.faults.calls).toHaveLength(0);
  });

  it('stops at once when it is revoked', async () => {
    const revoked = await api.newKey();
    expect((await lookUp({ key: revoked })).status).toBe(200);
    await api.keys.revoke(idOf(revoked), new Date(NOON).toISOString());
    expect((await lookUp({ key: revoked })).status).toBe(401);
  });

  it('is valid through the day it expires on, in London, and not a minute longer', async () => {
    const expiring = await api.newKey({ expires: '2026-06-15' });
    api.clock.now = Date.parse('2026-06-15T22:59:59Z');
    expect((await lookUp({ key: expiring })).status).toBe(200);
    api.clock.now = Date.parse('2026-06-15T23:00:00Z');
    expect((await lookUp({ key: expiring })).status).toBe(401);
    api.clock.now = NOON;
  });

  it('whose id collides with another hash is refused: the whole hash is compared', async () => {
    const other = generateKey('test');
    const imposter = { id: idOf(other), hash: hashKey('something else'), name: 'x', plan: 'free' } as const;
    await api.keys.add({ ...imposter, scopes: ['vehicles:read'], createdAt: new Date(NOON).toISOString() });
    expect((await lookUp({ key: other })).status).toBe(401);
  });
});

describe('A scope', () => {
  it.each([
    ['vehicles:read', 'GET', '/v1/vehicle/AB12CDE/insurance'],
    ['vehicles:read', 'POST', '/v1/vehicle/bulk-insurance'],
    ['compliance:read', 'GET', '/v1/compliance/AB12CDE'],
    ['content:read', 'GET', '/api/content'],
    ['content:read', 'GET', '/v1/api/content/some-id'],
    ['content:write', 'POST', '/v1/api/content'],
    ['content:write', 'PUT', '/api/content/some-id'],
    ['content:write', 'DELETE', '/api/content/some-id'],
  ] as const)(
    '%s is needed for %s %s: 403 comes before every other fault of the request',
    async (scope, method, path) => {
      const others = (['vehicles:read', 'compliance:read', 'content:read', 'content:write'] as const).filter(
        (s) => s !== scope,
      );
      const without = await api.newKey({ scopes: others });
      const { status, headers, body } = await api.call(method, path, { key: without });
      expect(status).toBe(403);
      expect(body).toMatchObject({ code: 'SCOPE_MISSING', title: 'Forbidden', detail: expect.stringContaining(scope) });
      expect(headers.get('x-ratelimit-remaining')).toBe('5999');
      const alone = await api.newKey({ scopes: [scope] });
      expect((await api.call(method, path, { key: alone })).status).not.toBe(403);
    },
  );

  it('is not needed to learn that a path does not exist', async () => {
    const narrow = await api.newKey({ scopes: ['content:read'] });
    expect((await api.call('GET', '/v1/nothing', { key: narrow })).status).toBe(404);
  });
});

describe('Admission fails closed', () => {
  it.each([
    ['the key cannot be read', 'GetItem'],
    ['the request cannot be counted', 'UpdateItem'],
  ])('with 500 when %s', async (_what, operation) => {
    api.faults.inject((call) => (call.operation === operation ? 'error' : undefined));
    const { status, headers, body } = await api.call('GET', '/v1/compliance/AB12CDE', { key });
    api.faults.reset();
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 'INTERNAL_ERROR', title: 'Internal Server Error' });
    expect(headers.get('x-ratelimit-limit')).toBe('0');
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(headers.get('x-ratelimit-reset')).toBe(String(Date.parse('2026-06-15T12:01:00Z') / 1_000));
  });

  it('with 429 when the counter itself is throttled', async () => {
    api.faults.inject((call) => (call.operation === 'UpdateItem' ? 'throttle' : undefined));
    const { status, headers, body } = await lookUp({ key });
    api.faults.reset();
    expect(status).toBe(429);
    expect(body).toMatchObject({ code: 'RATE_LIMITED' });
    expect(headers.get('x-ratelimit-limit')).toBe('6000');
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(headers.get('retry-after')).toBe('50');
  });
});

describe('A refused caller', () => {
  it('learns nothing of what the look-up found or failed with', async () => {
    const stranger = generateKey('test');
    const known = await lookUp({ key: stranger });
    const unknown = await api.call('GET', '/v1/vehicle/ZZ99ZZZ/insurance', { key: stranger });
    const invalid = await api.call('GET', '/v1/vehicle/not_a_plate/insurance', { key: stranger });
    const withoutId = ({ body }: { body: unknown }) => ({ ...(body as object), requestId: '' });
    expect(withoutId(known)).toEqual(withoutId(unknown));
    expect(withoutId(known)).toEqual(withoutId(invalid));
  });
});

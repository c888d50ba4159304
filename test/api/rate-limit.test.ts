import { describe, expect, it } from '@jest/globals';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { windowAt } from '../../core/access/plans.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { NOON } from '../support/clock.ts';
import { storeItems } from '../support/engine.ts';
import { meteredClient } from '../support/metered-client.ts';
import { aCounter } from '../support/records.ts';
import { RESET, rateLimitOf, testApi } from '../support/test-api.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const UNKNOWN_VEHICLE = '/v1/vehicle/ZZ99ZZZ/insurance';
const { start } = windowAt(new Date(NOON));

const api = testApi();

const get = (path: string, key: string) => api.call('GET', path, { key });
const countOf = async (key: string) => (await api.usage.countsSince(keyIdOf(hashKey(key)), start))[0]?.used ?? 0;
const count = (...counters: object[]) => storeItems(api.engine.client, api.engine.names.usage, counters);
/** A key of the free plan that has made this many requests in the window. */
const usedKey = async (requests: number, record: Parameters<typeof api.newKey>[0] = {}): Promise<string> => {
  const key = await api.newKey({ plan: 'free', ...record });
  await count(aCounter(key, requests));
  return key;
};

/** Concurrent requests: the black-box checks; over several processes and under faults: `npm run test:faults`. */
describe('The rate limit', () => {
  it('admits as many requests as the plan allows, then answers 429 until the window ends', async () => {
    const key = await usedKey(58);
    for (const remaining of ['1', '0']) {
      const reply = await get('/v1/usage', key);
      expect([reply.status, rateLimitOf(reply)]).toEqual([200, ['60', remaining, RESET]]);
    }
    const reply = await get('/v1/usage', key);
    expect(reply.body).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect([rateLimitOf(reply), reply.headers.get('retry-after')]).toEqual([['60', '0', RESET], '50']);
    api.clock.now = Date.parse('2026-06-15T12:01:00Z');
    expect(rateLimitOf(await get('/v1/usage', key))[1]).toBe('59');
  });

  it.each([
    ['12:00:57.999', '3'],
    ['12:00:59.999', '1'],
  ])('rounds Retry-After up: at %s it is %s', async (time, seconds) => {
    const key = await usedKey(60);
    api.clock.now = Date.parse(`2026-06-15T${time}Z`);
    const { status, headers } = await get('/v1/usage', key);
    expect([status, headers.get('retry-after')]).toEqual([429, seconds]);
  });

  it('counts every request with a valid key, whatever its outcome, a bulk request once', async () => {
    const key = await api.newKey({ scopes: ['vehicles:read'] });
    for (const path of [UNKNOWN_VEHICLE, '/v1/vehicle/not_a_plate/insurance', '/v1/nowhere']) await get(path, key);
    for (const method of ['DELETE', 'GET']) await api.call(method, '/v1/api/content', { key });
    for (const sent of [{ raw: 'no JSON' }, { json: { registrations: ['A1', 'A2', 'A3'] } }]) {
      await api.call('POST', '/v1/vehicle/bulk-insurance', { key, ...sent });
    }
    expect(await countOf(key)).toBe(7);
  });

  it('stops counting at twice the limit and one request for each function', async () => {
    const key = await usedKey(119);
    // Each has its own memory, as three instances in Lambda have.
    const paths = [UNKNOWN_VEHICLE, '/v1/compliance/AB12CDE', '/v1/usage'];
    for (const path of [...paths, ...paths, ...paths]) {
      const reply = await get(path, key);
      expect([reply.status, rateLimitOf(reply)]).toEqual([429, ['60', '0', RESET]]);
    }
    expect(await countOf(key)).toBe(122);
  });

  it('takes precedence over every issue of the request, including a missing scope', async () => {
    const key = await usedKey(60, { scopes: ['vehicles:read'] });
    const paths = ['/v1/nowhere', '/v1/vehicle/not_a_plate/insurance', '/v1/api/content'];
    const replies = await Promise.all(paths.map((path) => get(path, key)));
    expect(replies.map(({ status }) => status)).toEqual([429, 429, 429]);
  });
});

describe('GET /v1/usage', () => {
  interface Hour {
    readonly start: string;
    readonly requests: number;
    readonly rateLimited: number;
  }
  const usage = async (key: string) =>
    (await get('/v1/usage', key)).body as { readonly key: object; readonly hours: readonly Hour[] };

  it('shows a key as it was made, and the environment of one of an early version as unknown', async () => {
    const made = {
      name: 'Garage',
      plan: 'free',
      scopes: ['content:read'],
      expires: '2026-12-31',
      environment: 'live',
    } as const;
    expect(await usage(await api.newKey(made))).toMatchObject({ key: made });
    expect(await usage(await api.newKey())).toMatchObject({ key: { environment: 'unknown', expires: null } });
  });

  it('sums the requests of each of 24 hours, and what went beyond the limit of each minute', async () => {
    const key = await api.newKey({ plan: 'free' });
    const used = [
      [HOUR_MS, 62],
      [HOUR_MS - MINUTE_MS, 61],
      [HOUR_MS + MINUTE_MS, 61],
      [0, 1],
      [23 * HOUR_MS, 3],
      [24 * HOUR_MS, 9],
    ] as const;
    await count(...used.map(([ago, requests]) => aCounter(key, requests, NOON - ago)));
    const { hours } = await usage(key);
    expect([hours.length, hours.filter(({ requests }) => requests > 0)]).toEqual([
      24,
      [
        { start: '2026-06-14T13:00:00.000Z', requests: 3, rateLimited: 0 },
        { start: '2026-06-15T10:00:00.000Z', requests: 61, rateLimited: 1 },
        { start: '2026-06-15T11:00:00.000Z', requests: 123, rateLimited: 3 },
        { start: '2026-06-15T12:00:00.000Z', requests: 2, rateLimited: 0 },
      ],
    ]);
  });

  it('takes one query of at most 15 read units for a premium key that was busy all day', async () => {
    const key = await api.newKey();
    await count(...Array.from({ length: 1_440 }, (_, minute) => aCounter(key, 6_000, NOON - minute * MINUTE_MS)));
    api.clock.now = NOON + MINUTE_MS;
    expect((await usage(key)).hours.filter(({ requests }) => requests === 360_000)).toHaveLength(23);
    expect(api.faults.calls.map(({ operation }) => operation).sort()).toEqual(['GetItem', 'Query', 'UpdateItem']);
    const { client, costOf } = meteredClient(api.engine.endpoint);
    const table = usageTable(client, api.engine.names.usage);
    const { readUnits } = await costOf(() => table.countsSince(keyIdOf(hashKey(key)), start - 86_400));
    expect(readUnits).toBeLessThanOrEqual(15);
    client.destroy();
  });
});

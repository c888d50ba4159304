import { describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../core/access/scopes.ts';
import type { Usage } from '../../core/access/usage-report.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint-definition.ts';
import { NOON } from '../support/clock.ts';
import { someFields } from '../support/content.ts';
import { storeItems } from '../support/engine.ts';
import { aCounter, aVehicle } from '../support/records.ts';
import { runAdminCommand } from '../support/use-admin.ts';
import { RESET, rateLimitOf, useApi } from '../support/use-api.ts';

const HOUR_MS = 3_600_000;
const CONTENT = '/v1/api/content';

const api = useApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')));

const get = (path: string, key: string) => api.call('GET', path, { key });
const count = (...counters: object[]) => storeItems(api.engine.client, api.engine.names.usage, counters);
/** A key of the free plan that has made this many requests in the window. */
const usedKey = async (requests: number, record: Parameters<typeof api.newKey>[0] = {}): Promise<string> => {
  const key = await api.newKey({ plan: 'free', ...record });
  await count(aCounter(key, requests));
  return key;
};

/** Which scope an endpoint needs: test/unit/project-structure/endpoints.test.ts. */
describe('A scope', () => {
  const scoped = Object.values<Endpoint>(endpoints).flatMap(({ id, scope, method, paths }) =>
    scope === undefined ? [] : paths.map((path) => [scope, id, method, path.replace(/\{\w+\}/, 'AB12CDE')] as const),
  );
  it.each(scoped)('%s is needed for %s: 403 comes before every issue of %s %s', async (scope, _id, method, path) => {
    const without = await api.newKey({ scopes: SCOPES.filter((other) => other !== scope) });
    const reply = await api.call(method, path, { key: without });
    const body = { code: 'SCOPE_MISSING', detail: expect.stringContaining(scope) };
    expect(reply).toMatchObject({ status: 403, body });
    expect(rateLimitOf(reply)[1]).toBe('5999');
    const alone = await api.newKey({ scopes: [scope] });
    expect((await api.call(method, path, { key: alone })).status).not.toBe(403);
  });
});

describe('The successor of a key', () => {
  const keys = async (...args: string[]): Promise<{ readonly id: string; readonly key: string }> => {
    const options = ['--json', '--dynamodb', api.engine.endpoint];
    const { stdout } = await runAdminCommand(['keys', ...args, ...options], api.engine.names, { now: new Date(NOON) });
    return JSON.parse(stdout);
  };
  const newKey = () => keys('create', '--name', 'Acme', '--plan', 'premium');
  const create = ({ key }: { key: string }, slug: string) =>
    api.call('POST', CONTENT, { key, json: someFields('rotated.example', slug), headers: { 'Idempotency-Key': slug } });

  it('returns the item for a repeated creation of any other key in the succession, and creates nothing', async () => {
    const first = await newKey();
    const { body } = await create(first, 'once');
    const second = await keys('rotate', first.id);
    const third = await keys('rotate', second.id);
    for (const key of [second, third, first]) expect(await create(key, 'once')).toMatchObject({ status: 201, body });
    const { body: later } = await create(third, 'later');
    expect(await create(first, 'later')).toMatchObject({ status: 201, body: later });
    expect((await create(await newKey(), 'once')).body).toMatchObject({ status: 409, code: 'SLUG_TAKEN' });
  });
});

/** Concurrent requests: the black-box checks; under faults: `npm run test:faults`. */
describe('The rate limit', () => {
  it('admits as many requests as the plan allows, then answers 429 until the window ends, and rounds Retry-After up', async () => {
    const key = await usedKey(58);
    for (const remaining of ['1', '0']) {
      const reply = await get('/v1/usage', key);
      expect(reply.status).toBe(200);
      expect(rateLimitOf(reply)).toEqual(['60', remaining, RESET]);
    }
    for (const [time, seconds] of Object.entries({ '12:00:10.000': '50', '12:00:57.999': '3', '12:00:59.999': '1' })) {
      api.clock.now = Date.parse(`2026-06-15T${time}Z`);
      const { status, headers } = await get('/v1/usage', key);
      expect(status).toBe(429);
      expect(headers.get('retry-after')).toEqual(seconds);
    }
    const remainingAt = async (time: string) => {
      api.clock.now = Date.parse(`2026-06-15T${time}Z`);
      return rateLimitOf(await get('/v1/usage', key))[1];
    };
    // A gateway whose clock is behind still counts in the window of its own time.
    expect(await remainingAt('12:01:00')).toBe('59');
    expect(await remainingAt('12:00:59')).toBe('0');
    expect(await remainingAt('12:01:00')).toBe('58');
    expect(await remainingAt('11:59:59')).toBe('59');
  });

  it('takes precedence over every issue of the request, including a missing scope', async () => {
    const key = await usedKey(60, { scopes: ['vehicles:read'] });
    const paths = ['/v1/nowhere', '/v1/vehicle/not_a_plate/insurance', '/v1/api/content'];
    const replies = await Promise.all(paths.map((path) => get(path, key)));
    expect(replies.map(({ status }) => status)).toEqual([429, 429, 429]);
  });
});

describe('GET /v1/usage', () => {
  const usage = async (key: string) =>
    (await get('/v1/usage', key)).body as { readonly key: object; readonly hours: readonly Usage[] };

  it('shows a key as it was made, and an absent environment as unknown', async () => {
    const made = { name: 'Garage', plan: 'free', scopes: ['content:read'], expires: '2026-12-31' } as const;
    const key = { ...made, environment: 'live' } as const;
    expect(await usage(await api.newKey(key))).toMatchObject({ key });
    expect(await usage(await api.newKey())).toMatchObject({ key: { environment: 'unknown', expires: null } });
  });

  // What is computed from them: test/unit/access/usage-report.test.ts.
  it('reads the counters of 24 hours', async () => {
    const key = await api.newKey({ plan: 'free' });
    await count(...[23, 24].map((hours) => aCounter(key, hours, NOON - hours * HOUR_MS)));
    const { hours } = await usage(key);
    expect(hours.map(({ requests }) => requests)).toEqual([23, ...Array(22).fill(0), 1]);
  });
});

/** Scopes, limits, units and expiry of a key, as its owner sees them (docs/contract.md#units). */
import { describe, expect, it } from '@jest/globals';
import { newApiKey } from '../../core/access/api-key.ts';
import { windowAt } from '../../core/access/plans.ts';
import { SCOPES, type Scope } from '../../core/access/scopes.ts';
import type { Usage } from '../../core/access/usage-report.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint-definition.ts';
import { someFields } from '../support/content.ts';
import { always, forOperation } from '../support/fault-choosers.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { aCounter, aVehicle, NOON } from '../support/records.ts';
import { runAdminCommand } from '../support/use-admin.ts';
import { liveId, RESET, rateLimitOf, useApi } from '../support/use-api.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const CONTENT = '/v1/api/content';
const LOOKUP = '/v1/vehicle/AB12CDE/insurance';
const REGISTRATIONS = ['AB12CDE', 'ab12 cde', 'ZZ99ZZZ', 'not a plate!'];

const api = useApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')));

const get = (path: string, key: string) => api.call('GET', path, { key });

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

describe('A key with vehicles:status', () => {
  const status = { registration: 'AB12CDE', insured: true, status: 'IN_FORCE' };
  const newKey = (...more: Scope[]) => api.newKey({ scopes: ['vehicles:status', ...more] });

  it('gets registration, insured and status, and nothing else of a vehicle', async () => {
    const key = await newKey('compliance:read');
    expect((await get(LOOKUP, key)).body).toEqual(status);
    const { body } = await bulk(key, { registrations: ['AB12CDE', 'ZZ99ZZZ', '?'] });
    expect(body).toMatchObject({ processed: 3, successful: 1, failed: 2 });
    const { results } = body as { readonly results: readonly object[] };
    expect(results[0]).toEqual(status);
    expect(results.slice(1)).toMatchObject([{ code: 'VEHICLE_NOT_FOUND' }, { code: 'INVALID_REGISTRATION' }]);
    expect((await get('/v1/vehicle/ZZ99ZZZ/insurance', key)).status).toBe(404);
  });

  it('gets everything when it has vehicles:read too', async () => {
    const [both, whole] = [await newKey('vehicles:read'), await api.newKey({ scopes: ['vehicles:read'] })];
    expect((await get(LOOKUP, both)).body).toEqual((await get(LOOKUP, whole)).body);
    expect((await bulk(both)).body).toEqual((await bulk(whole)).body);
    expect((await get(`${LOOKUP}?date=2026-06-16`, both)).status).toBe(200);
  });

  it('is 403 SCOPE_MISSING with a date, even today’s, after 400 and before 404, and such a bulk request is one unit', async () => {
    const key = await newKey();
    for (const path of [LOOKUP, '/v1/vehicle/ZZ99ZZZ/insurance']) {
      const { body } = await get(`${path}?date=2026-06-15`, key);
      expect(body).toMatchObject({ code: 'SCOPE_MISSING', detail: expect.stringContaining('vehicles:read') });
    }
    expect((await get(`${LOOKUP}?date=2026-02-30`, key)).status).toBe(400);
    expect((await get('/v1/vehicle/-/insurance?date=2026-06-15', key)).status).toBe(400);
    const registrations = Array(1_001).fill('AB12CDE');
    expect((await bulk(key, { registrations, date: '2026-06-15' })).status).toBe(400);
    expect((await bulk(key, { registrations: REGISTRATIONS, date: '2026-06-15' })).status).toBe(403);
    expect((await usageOf(key)).now).toMatchObject({ requests: 7, units: 7 });
  });
});

describe('A key with addresses', () => {
  /** The tests send from 127.0.0.1. */
  const ELSEWHERE = { addresses: ['203.0.113.0/24'], environment: 'test', expires: '2026-06-20' } as const;
  const spoofed = { 'X-Forwarded-For': '203.0.113.7', Forwarded: 'for=203.0.113.7', 'X-Real-IP': '203.0.113.7' };

  it('is 403 from another address, after 401 and before 429, with the headers of a 401, whatever headers say', async () => {
    const key = await api.newKey({ ...ELSEWHERE, plan: 'free', scopes: [] }, 60);
    const { status, body, headers } = await api.call('GET', '/v1/vehicle/-/insurance', { key, headers: spoofed });
    expect({ status, body }).toMatchObject({ status: 403, body: { code: 'ADDRESS_FORBIDDEN' } });
    expect((body as { readonly detail: string }).detail).toContain('127.0.0.1');
    const sent = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-key-expires', 'x-sandbox'];
    expect(sent.map((name) => headers.get(name))).toEqual(['0', '0', RESET, null, 'true']);
    const ended = await api.newKey({ ...ELSEWHERE, expires: '2026-06-14' });
    expect((await get(LOOKUP, ended)).status).toBe(401);
  });

  it('works from its own, and what was rejected from another is no request and no unit', async () => {
    const key = await api.newKey({ addresses: ELSEWHERE.addresses });
    for (const path of ['/v1/usage', LOOKUP, '/v1/nowhere']) expect((await get(path, key)).status).toBe(403);
    const addresses = ['127.0.0.0/8', ...ELSEWHERE.addresses];
    await api.updateKey(key, { addresses });
    expect((await usageOf(key)).now).toMatchObject({ requests: 1, rateLimited: 0, units: 1 });
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

/** Concurrent requests: the black-box checks; a counter that fails: test/unit/access and test/faults. */
describe('The rate limit', () => {
  it('admits as many requests as the plan allows, then answers 429 until the window ends, and rounds Retry-After up', async () => {
    const key = await api.newKey({ plan: 'free' }, 58);
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
});

const bulk = (key: string, json: object = { registrations: REGISTRATIONS }, kind = 'insurance') =>
  api.call('POST', `/v1/vehicle/bulk-${kind}`, { key, json });
/** The usage of the 24 hours, and of the running one. */
const usageOf = async (key: string) => {
  const { hours } = (await get('/v1/usage', key)).body as { readonly hours: readonly Usage[] };
  return { hours, now: hours.at(-1) };
};
const isExtra = ({ body }: { readonly body: string }): boolean => body.includes('ADD extraUnits');
const additions = () => api.faults.calls.filter(isExtra);

/** What is computed from the counters: test/unit/access/usage-report.test.ts. */
describe('The units of a key', () => {
  it('are reported for 24 hours', async () => {
    const key = await api.newKey({ plan: 'free' });
    await api.store('usage', ...[23, 24].map((ago) => aCounter(key, ago, NOON - ago * HOUR_MS)));
    const { hours } = await usageOf(key);
    expect(hours.map(({ requests }) => requests)).toEqual([23, ...Array(22).fill(0), 1]);
  });

  it('are one for each admitted request, whatever its outcome, and one for each entry of a valid bulk request', async () => {
    const key = await api.newKey({ plan: 'free', scopes: ['vehicles:read', 'compliance:read'] });
    for (const path of [LOOKUP, '/v1/vehicle/ZZ99ZZZ/insurance', '/v1/vehicle/not_a_plate/insurance', '/v1/nowhere']) {
      await get(path, key);
    }
    for (const method of ['GET', 'DELETE']) await api.call(method, '/v1/api/content', { key });
    await api.call('POST', '/v1/vehicle/bulk-insurance', { key, raw: 'no JSON' });
    const invalid = [{ registrations: [] }, { registrations: ['A1', 2] }, { registrations: Array(101).fill('A1') }];
    for (const json of invalid) expect((await bulk(key, json)).status).toBe(400);
    for (const kind of ['insurance', 'compliance']) expect((await bulk(key, undefined, kind)).status).toBe(200);
    await bulk(key, { registrations: ['AB12CDE'] });
    expect((await usageOf(key)).now).toMatchObject({ requests: 14, rateLimited: 0, units: 14 + 3 + 3 });
  });

  it('are counted for a valid bulk request that ends as 500, because nothing could be read', async () => {
    const key = await api.newKey();
    api.faults.inject(forOperation('BatchGetItem', always('deny')));
    expect((await bulk(key)).status).toBe(500);
    expect((await usageOf(key)).now).toMatchObject({ requests: 2, units: 5 });
  });

  it('of rate limited requests are 0, and past minutes keep the limit that they had when plans change or go', async () => {
    const key = await api.newKey({ plan: 'free' });
    const id = liveId(key);
    const { start } = windowAt(new Date(NOON));
    await api.store('usage', { ...aCounter(key, 59), extraUnits: 9 });
    for (const status of [200, 429, 429]) expect((await get(LOOKUP, key)).status).toBe(status);
    expect(await api.usage.counts(id, start)).toEqual([{ start, used: 62, extraUnits: 9, requestsPerWindow: 60 }]);
    const recordings = api.faults.calls.filter(({ body }) => body.includes('SET requestsPerWindow'));
    expect(recordings.length).toBe(1);
    for (const plan of ['premium', 'gone']) {
      await api.updateKey(key, { plan });
      api.clock.now += MINUTE_MS;
      const { hours } = await usageOf(key);
      expect(hours.find(({ rateLimited }) => rateLimited > 0)).toMatchObject({ rateLimited: 2 });
    }
    expect((await usageOf(key)).now).toMatchObject({ requests: 62 + 3, rateLimited: 2, units: 69 + 3 });
  });

  it('of rate limited requests count where their limit could not be recorded, and the answer is the same', async () => {
    const key = await api.newKey({ plan: 'free' }, 60);
    api.faults.inject(({ body }) => (body.includes('SET requestsPerWindow') ? 'error' : undefined));
    expect((await get(LOOKUP, key)).status).toBe(429);
    api.faults.reset();
    expect((await get(LOOKUP, key)).status).toBe(429);
    const recorded = await api.usage.counts(liveId(key), 0);
    expect(recorded).toMatchObject([{ used: 62, requestsPerWindow: 60 }]);
  });

  it('are 0 for a test key and the key of the probe, whose bulk requests write nothing more', async () => {
    const { key: probeKey, ...probe } = newApiKey('probe');
    await api.keys.add({ ...probe, name: 'Probe', plan: 'standard', scopes: SCOPES, createdAt: '2026-06-15' });
    for (const key of [await api.newKey({ environment: 'test' }), probeKey]) {
      api.faults.reset();
      expect((await bulk(key)).status).toBe(200);
      expect(additions()).toEqual([]);
      expect((await usageOf(key)).now).toMatchObject({ requests: 2, units: 0 });
    }
  });

  it.each<[Fault, number]>([
    ['error', 0],
    ['throttle', 0],
    ['resetBefore', 0],
    ['hang', 0],
    ['resetAfter', 3],
    ['errorAfter', 3],
    ['truncate', 3],
  ])('of a bulk request are added in one attempt, never twice, and the answer is whole: %j', async (fault, added) => {
    const key = await api.newKey();
    api.faults.inject((call) => (isExtra(call) ? fault : undefined));
    expect(await bulk(key)).toMatchObject({ status: 200, body: { processed: 4, successful: 2 } });
    expect(additions()).toHaveLength(1);
    expect((await usageOf(key)).now).toMatchObject({ requests: 2, units: 2 + added });
  });
});

describe('X-Key-Expires', () => {
  it.each([
    ['2026-06-15', '2026-06-15'],
    ['2026-06-29', '2026-06-29'],
    ['2026-06-30', null],
    [undefined, null],
  ])('of a key whose last day is %s is %s on 15 June', async (expires, header) => {
    const key = await api.newKey(expires === undefined ? {} : { expires });
    expect((await get(LOOKUP, key)).headers.get('x-key-expires')).toBe(header);
  });

  it('comes with errors too, by the day in London, and never with a 401', async () => {
    const key = await api.newKey({ expires: '2026-06-30', plan: 'free', scopes: ['vehicles:read'] });
    api.clock.now = Date.parse('2026-06-15T23:00:00Z');
    await api.store('usage', aCounter(key, 57, api.clock.now));
    const sent = async (path: string) => {
      const { status, headers } = await get(path, key);
      return { path, status, expires: headers.get('x-key-expires') };
    };
    const day = '2026-06-30';
    expect(await sent('/v1/vehicle/ZZ99ZZZ/insurance')).toMatchObject({ status: 404, expires: day });
    expect(await sent('/v1/api/content')).toMatchObject({ status: 403, expires: day });
    expect(await sent('/v1/vehicle/-/insurance')).toMatchObject({ status: 400, expires: day });
    expect(await sent(LOOKUP)).toMatchObject({ status: 429, expires: day });
    api.clock.now = Date.parse('2026-06-30T23:00:00Z');
    expect(await sent(LOOKUP)).toMatchObject({ status: 401, expires: null });
  });
});

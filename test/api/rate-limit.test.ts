import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashKey, keyIdOf } from '../../functions/access/api-key.ts';
import { windowAt } from '../../functions/access/plans.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { NOON } from '../support/clock.ts';
import { fetchByContract } from '../support/contract.ts';
import { type ForkedGateway, forkGateway } from '../support/forked-gateway.ts';
import { aVehicle } from '../support/records.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
  await api.loadVehicles(aVehicle('AB12CDE'));
});
afterAll(() => api.stop());

const lookUp = (key: string) => api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key });
const times = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));
/**
 * Uses up requests of the window without sending them: sixty lookups in flight in this one process, which is the database
 * too, take so long on a busy machine that attempts time out.
 */
const useUp = (key: string, requests: number) =>
  times(requests, () => api.usage.increment(keyIdOf(hashKey(key)), windowAt(new Date(NOON))));
const RESET = String(Date.parse('2026-06-15T12:01:00Z') / 1_000);

/**
 * Exactly the limit is admitted. On a machine so busy that an answer of the counter comes too late, its update is sent
 * again and counts twice: one admission less for each of those, and never one more.
 */
const expectExactly = async (limit: number, key: string, usedBefore: number, statuses: readonly number[]) => {
  const countOf = (wanted: number) => statuses.filter((status) => status === wanted).length;
  const counted = await api.usage.count(keyIdOf(hashKey(key)), windowAt(new Date(NOON)));
  const lost = Math.max(0, counted - usedBefore - statuses.length) + countOf(500);
  expect(countOf(200)).toBeLessThanOrEqual(limit);
  expect(countOf(200)).toBeGreaterThanOrEqual(limit - lost);
  expect(countOf(200) + countOf(429) + countOf(500)).toBe(statuses.length);
};

describe('The rate limit', () => {
  it('tells every caller where it stands', async () => {
    const key = await api.newKey({ plan: 'free' });
    for (const remaining of ['59', '58', '57']) {
      const { headers } = await lookUp(key);
      expect(headers.get('x-ratelimit-limit')).toBe('60');
      expect(headers.get('x-ratelimit-remaining')).toBe(remaining);
      expect(headers.get('x-ratelimit-reset')).toBe(RESET);
    }
  });

  it('admits exactly as many as the plan allows, then 429 until the window ends', async () => {
    const key = await api.newKey({ plan: 'free' });
    await useUp(key, 45);
    const replies = await times(20, () => lookUp(key));
    await expectExactly(
      15,
      key,
      45,
      replies.map(({ status }) => status),
    );
    const { status, headers, body } = await lookUp(key);
    expect(status).toBe(429);
    expect(body).toMatchObject({ code: 'RATE_LIMITED', title: 'Too Many Requests' });
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(headers.get('retry-after')).toBe('50');
    api.clock.now = Date.parse('2026-06-15T12:01:00Z');
    const next = await lookUp(key);
    api.clock.now = NOON;
    expect(next.status).toBe(200);
    expect(next.headers.get('x-ratelimit-remaining')).toBe('59');
  });

  it('asks to wait at least a second in the last instant of a window', async () => {
    const key = await api.newKey({ plan: 'free' });
    api.clock.now = Date.parse('2026-06-15T12:00:59.999Z');
    await useUp(key, 60);
    const { status, headers } = await lookUp(key);
    api.clock.now = NOON;
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('1');
  });

  it('counts every request with a valid key, whatever its outcome, a bulk request once', async () => {
    const key = await api.newKey({ scopes: ['vehicles:read'] });
    await lookUp(key);
    await api.call('GET', '/v1/vehicle/ZZ99ZZZ/insurance', { key });
    await api.call('GET', '/v1/vehicle/not_a_plate/insurance', { key });
    await api.call('GET', '/v1/nowhere', { key });
    await api.call('DELETE', '/v1/api/content', { key });
    await api.call('GET', '/v1/api/content', { key });
    await api.call('POST', '/v1/vehicle/bulk-insurance', { key, raw: 'no JSON' });
    await api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: { registrations: ['A1', 'A2', 'A3'] } });
    expect(await api.usage.count(keyIdOf(hashKey(key)), windowAt(new Date(NOON)))).toBe(8);
  });

  it('counts each key for itself', async () => {
    const [one, two] = await Promise.all([api.newKey({ plan: 'free' }), api.newKey({ plan: 'free' })]);
    await useUp(one, 60);
    expect((await lookUp(one)).status).toBe(429);
    expect((await lookUp(two)).status).toBe(200);
  });

  it('comes before everything that is wrong with the request, but after the scope', async () => {
    const key = await api.newKey({ plan: 'free', scopes: ['vehicles:read'] });
    await useUp(key, 60);
    expect((await api.call('GET', '/v1/nowhere', { key })).status).toBe(429);
    expect((await api.call('GET', '/v1/vehicle/not_a_plate/insurance', { key })).status).toBe(429);
    expect((await api.call('GET', '/v1/api/content', { key })).status).toBe(403);
  });
});

describe('The rate limit over several processes', () => {
  const PROCESSES = 4;
  let gateways: ForkedGateway[];

  beforeAll(async () => {
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: api.engine.endpoint };
    gateways = await Promise.all(Array.from({ length: PROCESSES }, () => forkGateway(environment)));
  });
  afterAll(() => Promise.all(gateways.map(({ stop }) => stop())));

  it('admits exactly 60 of 500 concurrent requests', async () => {
    const key = await api.newKey({ plan: 'free' });
    const replies = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        fetchByContract(`${gateways[index % PROCESSES]?.origin}/v1/vehicle/AB12CDE/insurance`, {
          headers: { 'X-API-Key': key },
        }),
      ),
    );
    await expectExactly(
      60,
      key,
      0,
      replies.map(({ status }) => status),
    );
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { windowAt } from '../../core/access/plans.ts';
import { NOON } from '../support/clock.ts';
import { fetchByContract } from '../support/contract.ts';
import { forTable, onNthCall } from '../support/fault-choosers.ts';
import { type ForkedGateway, forkGateway } from '../support/forked-gateway.ts';
import { aVehicle } from '../support/records.ts';
import { RESET, rateLimitOf, testApi } from '../support/test-api.ts';

const api = testApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')));

const lookUp = (key: string) => api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key });
const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const countOf = async (key: string) =>
  (await api.usage.countsSince(keyIdOf(hashKey(key)), windowAt(new Date(NOON)).start))[0]?.used ?? 0;
/**
 * A key of the free plan that has made this many requests in the window. They are not sent: sixty lookups in flight in this
 * one process, which is the database too, take so long on a busy machine that attempts time out.
 */
const usedKey = async (requests: number, record: Parameters<typeof api.newKey>[0] = {}): Promise<string> => {
  const key = await api.newKey({ plan: 'free', ...record });
  await times(requests, () => api.usage.increment(keyIdOf(hashKey(key)), windowAt(new Date(NOON))));
  return key;
};

/**
 * Exactly the limit is admitted. On a machine so busy that a response of the counter comes too late, its update is sent
 * again and counts twice: one admission less for each of those, and never one more.
 */
const expectExactly = async (
  limit: number,
  key: string,
  usedBefore: number,
  replies: readonly { status: number }[],
) => {
  const statuses = replies.map(({ status }) => status);
  const [admitted = 0, limited = 0, failed = 0] = [200, 429, 500].map(
    (wanted) => statuses.filter((status) => status === wanted).length,
  );
  const lost = Math.max(0, (await countOf(key)) - usedBefore - statuses.length) + failed;
  expect(admitted).toBeLessThanOrEqual(limit);
  expect(admitted).toBeGreaterThanOrEqual(limit - lost);
  expect(admitted + limited + failed).toBe(statuses.length);
};

describe('The rate limit', () => {
  it('is sent in X-RateLimit headers, with the remaining quota', async () => {
    const key = await api.newKey({ plan: 'free' });
    for (const remaining of ['59', '58', '57']) {
      expect(rateLimitOf(await lookUp(key))).toEqual(['60', remaining, RESET]);
    }
  });

  it('admits exactly as many concurrent requests as the plan allows, then answers 429 until the window ends', async () => {
    const key = await usedKey(45);
    await expectExactly(15, key, 45, await times(20, () => lookUp(key)));
    const reply = await lookUp(key);
    expect(reply).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', title: 'Too Many Requests' } });
    expect([rateLimitOf(reply)[1], reply.headers.get('retry-after')]).toEqual(['0', '50']);
    api.clock.now = Date.parse('2026-06-15T12:01:00Z');
    const next = await lookUp(key);
    expect([next.status, rateLimitOf(next)[1]]).toEqual([200, '59']);
  });

  it.each([
    ['12:00:57.999', '3'],
    ['12:00:59.999', '1'],
  ])('rounds Retry-After up: at %s it is %s', async (time, seconds) => {
    const key = await usedKey(60);
    api.clock.now = Date.parse(`2026-06-15T${time}Z`);
    const { status, headers } = await lookUp(key);
    expect([status, headers.get('retry-after')]).toEqual([429, seconds]);
  });

  it('counts every request with a valid key, whatever its outcome, a bulk request once', async () => {
    const key = await api.newKey({ scopes: ['vehicles:read'] });
    await lookUp(key);
    for (const path of ['/v1/vehicle/ZZ99ZZZ/insurance', '/v1/vehicle/not_a_plate/insurance', '/v1/nowhere']) {
      await api.call('GET', path, { key });
    }
    for (const method of ['DELETE', 'GET']) await api.call(method, '/v1/api/content', { key });
    for (const sent of [{ raw: 'no JSON' }, { json: { registrations: ['A1', 'A2', 'A3'] } }]) {
      await api.call('POST', '/v1/vehicle/bulk-insurance', { key, ...sent });
    }
    expect(await countOf(key)).toBe(8);
  });

  it('counts a request again when the response to its counter update is only slow', async () => {
    const key = await api.newKey();
    // More than the second for which a response is waited for: the update was applied and is sent again.
    api.faults.inject(forTable(api.engine.names.usage, onNthCall(1, { slowMs: 1_500 })));
    expect(await lookUp(key)).toMatchObject({ status: 200 });
    // Not exactly: a busy machine makes further responses slow.
    expect(await countOf(key)).toBeGreaterThanOrEqual(2);
  });

  it('stops counting at twice the limit and one request for each function, and headers stay right', async () => {
    const key = await usedKey(119);
    // Each has its own memory, as three instances in Lambda have.
    const paths = ['/v1/vehicle/AB12CDE/insurance', '/v1/compliance/AB12CDE', '/v1/usage'];
    for (const path of [...paths, ...paths, ...paths]) {
      const reply = await api.call('GET', path, { key });
      expect([reply.status, ...rateLimitOf(reply), reply.headers.get('retry-after')]).toEqual([
        429,
        '60',
        '0',
        RESET,
        '50',
      ]);
    }
    expect(await countOf(key)).toBe(122);
    api.clock.now = Date.parse('2026-06-15T12:01:00Z');
    expect(rateLimitOf(await lookUp(key))[1]).toBe('59');
  });

  it('follows a change of the key even when it has stopped counting', async () => {
    const key = await usedKey(119);
    for (let sent = 0; sent < 3; sent += 1) expect((await lookUp(key)).status).toBe(429);
    await api.keys.update(keyIdOf(hashKey(key)), { plan: 'standard' });
    for (const remaining of ['479', '478']) expect(rateLimitOf(await lookUp(key))).toEqual(['600', remaining, RESET]);
    await api.keys.update(keyIdOf(hashKey(key)), { plan: 'free' });
    for (const status of [429, 429]) expect((await lookUp(key)).status).toBe(status);
    await api.keys.revoke(keyIdOf(hashKey(key)), new Date(NOON).toISOString());
    expect((await lookUp(key)).status).toBe(401);
    expect(await countOf(key)).toBe(123);
  });

  it('is counted separately for each key', async () => {
    expect((await lookUp(await usedKey(60))).status).toBe(429);
    expect((await lookUp(await api.newKey({ plan: 'free' }))).status).toBe(200);
  });

  it('takes precedence over every issue of the request, including a missing scope', async () => {
    const key = await usedKey(60, { scopes: ['vehicles:read'] });
    const paths = ['/v1/nowhere', '/v1/vehicle/not_a_plate/insurance', '/v1/api/content'];
    const replies = await Promise.all(paths.map((path) => api.call('GET', path, { key })));
    expect(replies.map(({ status }) => status)).toEqual([429, 429, 429]);
  });
});

describe('The rate limit over 2 processes', () => {
  let gateways: ForkedGateway[];

  beforeAll(async () => {
    gateways = await times(2, () => forkGateway({ AWS_ENDPOINT_URL_DYNAMODB: api.engine.endpoint }));
  });
  afterAll(() => Promise.all(gateways.map(({ stop }) => stop())));

  it('admits exactly 60 of 500 concurrent requests', async () => {
    const key = await api.newKey({ plan: 'free' });
    const address = (index: number) => `${gateways[index % 2]?.origin}/v1/vehicle/AB12CDE/insurance`;
    const replies = await times(500, (index) => fetchByContract(address(index), { headers: { 'X-API-Key': key } }));
    await expectExactly(60, key, 0, replies);
  });
});

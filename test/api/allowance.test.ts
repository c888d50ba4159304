/** The allowance of a customer, as callers see it (docs/contract.md#allowance). */
import { describe, expect, it } from '@jest/globals';
import type { KeyRecord } from '../../core/access/key-record.ts';
import type { Plans } from '../../core/access/plans.ts';
import type { Usage } from '../../core/access/usage-report.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint-definition.ts';
import type { DatabaseCall, Fault } from '../support/fault-proxy.ts';
import { aVehicle, TEST_PLANS } from '../support/records.ts';
import { rateLimitOf, useApi } from '../support/use-api.ts';

const plans: Plans = {
  ...TEST_PLANS,
  trial: { requestsPerWindow: 600, bulkSize: 20, unitsPerDay: 10, unitsPerMonth: 15 },
  standard: { ...TEST_PLANS.standard, unitsPerDay: 100_000 },
  premium: { ...TEST_PLANS.premium, unitsPerDay: 5_000_000 },
};
const api = useApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')), { plans });

const LOOKUP = '/v1/vehicle/AB12CDE/insurance';
const newKey = (record: Partial<KeyRecord> = {}) => api.newKey({ plan: 'trial', ...record });
const get = (key: string, path = LOOKUP) => api.call('GET', path, { key });
const bulk = (key: string, entries: number, kind = 'insurance') =>
  api.call('POST', `/v1/vehicle/bulk-${kind}`, { key, json: { registrations: Array(entries).fill('AB12CDE') } });

/** What `GET /v1/usage` says, itself included. */
const usageOf = async (key: string) => {
  const { body } = await get(key, '/v1/usage');
  const { hours, allowance } = body as { readonly hours: readonly Usage[]; readonly allowance?: readonly object[] };
  return { units: hours.reduce((sum, hour) => sum + hour.units, 0), allowance, requests: hours.at(-1)?.requests };
};
const day = (used: number) => ({ period: 'day', limit: 10, used, resetsAt: '2026-06-16T00:00:00.000Z' });
const month = (used: number) => ({ period: 'month', limit: 15, used, resetsAt: '2026-07-01T00:00:00.000Z' });
const exceeded = { status: 429, body: { code: 'ALLOWANCE_EXCEEDED', title: 'Too Many Requests' } };

const isOfAllowance = ({ operation, body }: DatabaseCall): boolean =>
  operation === 'UpdateItem' && body.includes('"allowance#');

/** Whose keys share one: test/unit/access/allowance.test.ts; after a rotation: test/unit/admin/keys-rotate.test.ts. */
describe('The allowance', () => {
  it('counts the units of the invoice, and what would pass it is 429 as a whole and no unit', async () => {
    const key = await newKey();
    await get(key);
    await get(key, '/v1/vehicle/ZZ99ZZZ/insurance');
    await get(key, '/v1/nowhere');
    await bulk(key, 3);
    await bulk(key, 21);
    expect(await usageOf(key)).toMatchObject({ units: 8, allowance: [day(8), month(8)] });
    for (const kind of ['insurance', 'compliance']) expect(await bulk(key, 3, kind)).toMatchObject(exceeded);
    expect((await bulk(key, 2)).status).toBe(200);
    for (const path of [LOOKUP, '/v1/vehicle/ZZ99ZZZ/insurance', '/v1/nowhere']) {
      expect(await get(key, path)).toMatchObject(exceeded);
    }
    expect(await usageOf(key)).toEqual({ units: 10, allowance: [day(10), month(10)], requests: 13 });
  });

  it('says until when, by the period that ends last, and the next period begins anew', async () => {
    const key = await newKey();
    await bulk(key, 10);
    const ofDay = await get(key);
    expect(ofDay.headers.get('retry-after')).toBe(String(11 * 3_600 + 59 * 60 + 50));
    expect(ofDay.body).toMatchObject({ detail: expect.stringMatching(/10 units a day.*2026-06-16T00:00:00.000Z/) });
    expect(rateLimitOf(ofDay).slice(0, 2)).toEqual(['600', '598']);
    api.clock.now = Date.parse('2026-06-16T00:00:00.000Z');
    expect((await bulk(key, 5)).status).toBe(200);
    const ofMonth = await get(key);
    expect(ofMonth.headers.get('retry-after')).toBe(String(15 * 86_400));
    expect(ofMonth.body).toMatchObject({ detail: expect.stringMatching(/15 units a month.*2026-07-01T00:00:00.000Z/) });
    api.clock.now = Date.parse('2026-06-30T23:59:59.999Z');
    expect((await get(key)).headers.get('retry-after')).toBe('1');
    api.clock.now = Date.parse('2026-07-01T00:00:00.000Z');
    expect((await bulk(key, 10)).status).toBe(200);
  });

  it('comes after the rate limit and the scope, and before path, body and validation, and for a bulk request after them', async () => {
    const key = await newKey({ scopes: ['vehicles:read', 'vehicles:status'] });
    await bulk(key, 8);
    expect((await api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: {} })).status).toBe(400);
    expect((await bulk(key, 21)).body).toMatchObject({ code: 'BULK_TOO_LARGE' });
    // Both were one unit each.
    expect((await get(key, '/v1/compliance/AB12CDE')).status).toBe(403);
    expect(await get(key, '/v1/vehicle/-/insurance?date=1')).toMatchObject(exceeded);
    const raw = { key, raw: 'no JSON' };
    expect(await api.call('POST', '/v1/vehicle/bulk-insurance', raw)).toMatchObject(exceeded);
    const status = await newKey({ scopes: ['vehicles:status'] });
    const json = { registrations: Array(11).fill('AB12CDE'), date: '2026-06-15' };
    expect((await api.call('POST', '/v1/vehicle/bulk-insurance', { key: status, json })).status).toBe(403);
    expect(await bulk(status, 11)).toMatchObject(exceeded);
    expect(await usageOf(status)).toMatchObject({ units: 2, allowance: [day(2), month(2)] });
  });

  it('counts a request without the scope, as the invoice does, unless it is used up', async () => {
    const key = await newKey({ scopes: [] });
    expect((await get(key)).status).toBe(403);
    expect((await bulk(key, 3)).status).toBe(403);
    expect(await usageOf(key)).toMatchObject({ units: 3, allowance: [day(3), month(3)] });
    for (let nth = 0; nth < 9; nth += 1) expect((await get(key)).status).toBe(403);
    expect(await usageOf(key)).toMatchObject({ units: 10, allowance: [day(10), month(10)] });
  });

  it.each(Object.values<Endpoint>(endpoints).flatMap(({ method, paths }) => paths.map((path) => [method, path])))(
    'is needed for %s %s, but not for the usage',
    async (method, path) => {
      const key = await newKey();
      await bulk(key, 10);
      const reply = await api.call(method, path.replace(/\{\w+\}/, 'AB12CDE'), { key });
      if (path === '/v1/usage') expect(reply.status).toBe(200);
      else expect(reply).toMatchObject(exceeded);
    },
  );

  it('never answers what was preloaded to a request that is rejected', async () => {
    const key = await newKey();
    await bulk(key, 10);
    const detailOf = async (path: string) => ((await get(key, path)).body as { readonly detail: string }).detail;
    const details = [LOOKUP, '/v1/vehicle/ZZ99ZZZ/insurance', '/v1/vehicle/-/insurance'].map(detailOf);
    expect(new Set(await Promise.all(details)).size).toBe(1);
  });
});

describe.each(['standard', 'premium'])('A lookup with a key of the plan %s', (plan) => {
  it('that the instance remembers sends the requests that it sent before, and every hundredth one more with them', async () => {
    const key = await newKey({ plan });
    await get(key);
    const requests: number[] = [];
    for (let nth = 1; nth < 101; nth += 1) {
      api.faults.reset();
      await get(key);
      requests.push(api.faults.calls.length);
    }
    expect(requests).toEqual([...Array(99).fill(3), 4]);
    api.faults.reset();
    // None of the four requests waits for another.
    for (let nth = 1; nth < 100; nth += 1) await get(key);
    api.faults.reset();
    let open = 0;
    let mostOpen = 0;
    api.faults.inject(() => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      return { slowMs: 50 };
    });
    expect((await get(key)).status).toBe(200);
    expect([api.faults.calls.length, mostOpen, open]).toEqual([4, 4, 4]);
  });
});

describe('While the database is not well', () => {
  it.each<[Fault, number, number]>([
    ['throttle', 429, 0],
    ['deny', 500, 1],
  ])('a unit that cannot be taken, because of %j, is %i', async (fault, status, units) => {
    const key = await newKey();
    api.faults.inject((call) => (isOfAllowance(call) ? fault : undefined));
    const reply = await get(key);
    expect(reply.status).toBe(status);
    if (status === 429) expect(reply.body).toMatchObject({ code: 'RATE_LIMITED' });
    api.faults.reset();
    expect(await usageOf(key)).toMatchObject({ units: units + 1, allowance: [day(1), month(1)] });
  });

  it('a unit whose response was lost may count twice, and the request is answered', async () => {
    const key = await newKey();
    let lost = 0;
    api.faults.inject((call) => {
      if (!isOfAllowance(call) || lost > 0) return undefined;
      lost += 1;
      return 'resetAfter';
    });
    expect((await get(key)).status).toBe(200);
    expect(await usageOf(key)).toMatchObject({ units: 2, allowance: [day(3), month(3)] });
  });

  it('the usage is shown, also when its own unit is throttled', async () => {
    const key = await newKey();
    api.faults.inject((call) => (isOfAllowance(call) ? 'throttle' : undefined));
    expect(await usageOf(key)).toMatchObject({ units: 0, allowance: [day(0), month(0)] });
    api.faults.reset();
    expect(await usageOf(key)).toMatchObject({ units: 1, allowance: [day(1), month(1)] });
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey } from '../../core/access/api-key.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { sandboxCompliance, sandboxRegistrations, sandboxVehicle } from '../../core/sandbox/sandbox-records.ts';
import type { Call, Reply } from '../support/api.ts';
import { NOON } from '../support/clock.ts';
import { aCompliance, aVehicle } from '../support/records.ts';
import { rateLimitOf, testApi } from '../support/test-api.ts';

const OF_THE_TABLES = 'LIVE1';
const THROTTLED = 'ER19 THR';
const FAILING = 'ER19 ERR';

const api = testApi(async ({ loadVehicles, loadCompliance }) => {
  // Also under the registrations of a sandbox vehicle and of the forced outcomes.
  const live = [OF_THE_TABLES, 'AB12CDE', 'ER19THR', 'ER19ERR'];
  await loadVehicles(...live.map((registration) => aVehicle(registration)));
  await loadCompliance(...live.map((registration) => aCompliance(registration)));
});
let testKey: string;
beforeAll(async () => {
  testKey = await api.newKey({ environment: 'test' });
});

const SINGLE = ['vehicle-insurance', 'compliance'] as const;
const BULK = ['/v1/vehicle/bulk-insurance', '/v1/vehicle/bulk-compliance'] as const;
type Single = (typeof SINGLE)[number];

const pathOf = (endpoint: Single, registration: string, query = '') =>
  (endpoint === 'compliance'
    ? `/v1/compliance/${encodeURIComponent(registration)}`
    : `/v1/vehicle/${encodeURIComponent(registration)}/insurance`) + query;
const call = (method: string, path: string, options: Call = {}) => api.call(method, path, { key: testKey, ...options });
const lookUp = (endpoint: Single, registration: string, options: Call = {}, query = '') =>
  call('GET', pathOf(endpoint, registration, query), options);
const bulk = (path: string, registrations: readonly string[], options: Call = {}) =>
  call('POST', path, { json: { registrations }, ...options });
const resultsOf = ({ body }: Reply) => (body as { results: object[] }).results;

/** What the database is asked for meanwhile, as operations and tables. */
const databaseCallsOf = async (work: () => Promise<Reply>) => {
  const before = api.faults.calls.length;
  const { status } = await work();
  const calls = api.faults.calls.slice(before).map(({ operation, tables }) => `${operation} ${tables.join()}`);
  return { status, calls: calls.sort() };
};

describe('Lookups of a test key', () => {
  it('return every sandbox vehicle, dated from today', async () => {
    const registrations = sandboxRegistrations();
    expect(registrations).toHaveLength(30);
    const today = londonDate(new Date(NOON));
    const insurance = resultsOf(await bulk(BULK[0], registrations));
    const compliance = resultsOf(await bulk(BULK[1], registrations));
    for (const [index, registration] of registrations.entries()) {
      const vehicle = sandboxVehicle(registration, today);
      expect((await lookUp('vehicle-insurance', registration)).body).toMatchObject({
        vehicle: vehicle?.vehicle,
        lastUpdated: '2026-06-14T08:30:00.000Z',
        ...insurance[index],
      });
      const verdict = await lookUp('compliance', registration);
      const { lastUpdated } = sandboxCompliance(registration, today) ?? {};
      expect(verdict.body).toMatchObject(
        lastUpdated === undefined
          ? { code: 'COMPLIANCE_NOT_FOUND' }
          : { ...compliance[index], details: { mot: { lastUpdated } } },
      );
    }
  });

  it('use the date in London', async () => {
    const untilToday = { policy: { validTo: '2026-06-15' }, insured: true };
    expect((await lookUp('vehicle-insurance', 'BD51 SMR')).body).toMatchObject(untilToday);
    api.clock.now = Date.parse('2026-06-15T23:30:00Z');
    expect((await lookUp('vehicle-insurance', 'BD51 SMR')).body).toMatchObject({ policy: { validTo: '2026-06-16' } });
  });

  it('find no vehicle of the tables', async () => {
    for (const endpoint of SINGLE) {
      const unknown = await lookUp(endpoint, OF_THE_TABLES);
      expect(unknown.body).toMatchObject({ status: 404, code: 'VEHICLE_NOT_FOUND' });
      expect((await lookUp(endpoint, OF_THE_TABLES, { key: api.key })).status).toBe(200);
    }
    const ford = { vehicle: { make: 'Ford' } };
    expect((await lookUp('vehicle-insurance', 'AB12CDE')).body).toMatchObject(ford);
    const live = await lookUp('vehicle-insurance', 'AB12CDE', { key: api.key });
    expect(live.body).toMatchObject({ vehicle: { make: 'Škoda' } });
    for (const path of BULK) {
      expect(resultsOf(await bulk(path, [OF_THE_TABLES]))).toMatchObject([{ code: 'VEHICLE_NOT_FOUND' }]);
    }
  });

  it('otherwise behave as with a live key: date, suggestion, bad input, bulk size', async () => {
    const lapsed = await lookUp('vehicle-insurance', 'dg65-old', {}, '?date=2026-06-14');
    expect(lapsed.body).toMatchObject({ registration: 'dg65-old', insured: true, asOf: '2026-06-14' });
    expect((await lookUp('compliance', 'AB12CDE', {}, '?date=2026-06-14')).status).toBe(400);
    expect((await lookUp('vehicle-insurance', 'AB1O CDE')).body).toMatchObject({ suggestion: 'AB10CDE' });
    expect((await lookUp('vehicle-insurance', 'not a plate!')).body).toMatchObject({ code: 'INVALID_REGISTRATION' });
    const free = await api.newKey({ environment: 'test', plan: 'free' });
    for (const path of BULK) {
      const tooMany = await bulk(path, Array(101).fill('AB12CDE'), { key: free });
      expect(tooMany.body).toMatchObject({ code: 'BULK_TOO_LARGE' });
      const entries = resultsOf(await bulk(path, ['AB12 CDE', 'ZZ99 ZZZ', '!', 'ab12cde']));
      expect(entries).toMatchObject([
        { registration: 'AB12 CDE' },
        { code: 'VEHICLE_NOT_FOUND' },
        { code: 'INVALID_REGISTRATION' },
        { registration: 'ab12cde' },
      ]);
    }
    expect(resultsOf(await bulk(BULK[1], ['VE24UNK']))).toMatchObject([{ code: 'COMPLIANCE_NOT_FOUND' }]);
  });

  it('make no database request besides those of admission', async () => {
    const { keys, usage } = api.engine.names;
    const admission = { status: 200, calls: [`GetItem ${keys}`, `UpdateItem ${usage}`] };
    expect(await databaseCallsOf(() => lookUp('vehicle-insurance', 'AB12CDE'))).toEqual(admission);
    expect(await databaseCallsOf(() => lookUp('compliance', 'AB12CDE'))).toEqual(admission);
    for (const path of BULK) {
      for (const count of [1, 1_000]) {
        const registrations = Array.from({ length: count }, (_, index) => `B${index}`);
        expect(await databaseCallsOf(() => bulk(path, registrations))).toEqual(admission);
      }
    }
  });

  it('require a valid key with the scope and quota left in its window', async () => {
    const unknown = generateKey('test');
    const narrow = await api.newKey({ environment: 'test', scopes: ['content:read'] });
    const free = await api.newKey({ environment: 'test', plan: 'free' });
    for (const registration of ['AB12CDE', THROTTLED, FAILING]) {
      expect((await lookUp('vehicle-insurance', registration, { key: unknown })).status).toBe(401);
      expect((await lookUp('vehicle-insurance', registration, { key: narrow })).status).toBe(403);
    }
    await Promise.all(Array.from({ length: 60 }, () => lookUp('vehicle-insurance', 'AB12CDE', { key: free })));
    for (const registration of ['AB12CDE', THROTTLED, FAILING]) {
      const { status, body } = await lookUp('vehicle-insurance', registration, { key: free });
      expect([status, body]).toEqual([
        429,
        expect.objectContaining({ detail: expect.stringContaining('The plan allows 60') }),
      ]);
    }
  });
});

describe('A forced outcome', () => {
  it.each(SINGLE)(
    'of %s is 429 for ER19 THR, however it is written, and the limit is not used up',
    async (endpoint) => {
      const free = await api.newKey({ environment: 'test', plan: 'free' });
      for (const [nth, registration] of [THROTTLED, 'er19thr', 'Er19-Thr'].entries()) {
        const reply = await lookUp(endpoint, registration, { key: free });
        expect(reply.body).toMatchObject({
          status: 429,
          title: 'Too Many Requests',
          code: 'RATE_LIMITED',
          detail: expect.stringContaining('sandbox'),
        });
        expect(reply.headers.get('retry-after')).toBe('1');
        expect(rateLimitOf(reply).slice(0, 2)).toEqual(['60', String(59 - nth)]);
      }
    },
  );

  it.each(SINGLE)('of %s is 500 for ER19 ERR, however it is written', async (endpoint) => {
    for (const registration of [FAILING, 'er19err', 'ER19·ERR']) {
      const reply = await lookUp(endpoint, registration);
      expect(reply.body).toMatchObject({
        status: 500,
        title: 'Internal Server Error',
        code: 'INTERNAL_ERROR',
        detail: expect.stringContaining('sandbox'),
      });
      expect(reply.headers.get('retry-after')).toBe('1');
      expect(rateLimitOf(reply)[0]).toBe('6000');
    }
  });

  it.each(BULK)('is LOOKUP_UNAVAILABLE as an entry of %s, and affects no other entry', async (path) => {
    const reply = await bulk(path, ['AB12 CDE', 'er19 thr', FAILING, 'AB12 CDE']);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ processed: 4, successful: 2, failed: 2 });
    expect(resultsOf(reply).slice(1, 3)).toMatchObject([
      { registration: 'er19 thr', code: 'LOOKUP_UNAVAILABLE' },
      { registration: FAILING, code: 'LOOKUP_UNAVAILABLE' },
    ]);
  });

  it('comes after validation, like every outcome of a lookup', async () => {
    expect((await lookUp('vehicle-insurance', FAILING, {}, '?date=2026-02-30')).status).toBe(400);
    expect((await lookUp('compliance', THROTTLED, {}, '?date=2026-02-01')).status).toBe(400);
  });

  it('is only for test keys', async () => {
    for (const registration of [THROTTLED, FAILING]) {
      for (const endpoint of SINGLE) expect((await lookUp(endpoint, registration, { key: api.key })).status).toBe(200);
      for (const path of BULK) {
        expect((await bulk(path, [registration], { key: api.key })).body).toMatchObject({ successful: 1 });
      }
    }
  });
});

describe('X-Sandbox', () => {
  const item = { title: 'T', content: 'C', domain: 'header.example', slug: 'header' };
  /** A request for every kind of status. */
  const requests: readonly (readonly [string, number, (key: string) => Promise<Reply>])[] = [
    ['a lookup', 200, (key) => lookUp('vehicle-insurance', 'AB12CDE', { key })],
    ['a bulk request', 200, (key) => bulk(BULK[0], ['AB12CDE'], { key })],
    ['usage', 200, (key) => call('GET', '/v1/usage', { key })],
    ['a creation', 201, (key) => call('POST', '/v1/api/content', { key, json: item })],
    ['a taken slug', 409, (key) => call('POST', '/v1/api/content', { key, json: item })],
    ['a list', 200, (key) => call('GET', '/v1/api/content', { key })],
    [
      'malformed JSON',
      400,
      (key) => call('POST', BULK[0], { key, raw: '{', headers: { 'Content-Type': 'application/json' } }),
    ],
    ['an unknown vehicle', 404, (key) => lookUp('vehicle-insurance', 'ZZ99ZZZ', { key })],
    ['an unknown path', 404, (key) => call('GET', '/v1/nothing', { key })],
    ['another method', 405, (key) => call('PATCH', '/v1/usage', { key })],
  ];

  it.each(requests)(
    'is true in the response of a test key to %s (%i), and absent for a live key',
    async (_, status, ask) => {
      const [test, live] = [await ask(testKey), await ask(api.key)];
      expect([test.status, live.status]).toEqual([status, status]);
      expect([test.headers.get('x-sandbox'), live.headers.get('x-sandbox')]).toEqual(['true', null]);
    },
  );

  it('is in the 401 to a well-formed test key that does not exist, and in no other 401', async () => {
    const ask = async (key: string | undefined) => {
      const reply = await api.call('GET', '/v1/usage', { key });
      return [reply.status, reply.headers.get('x-sandbox')];
    };
    expect(await ask(generateKey('test'))).toEqual([401, 'true']);
    expect(await ask(generateKey('live'))).toEqual([401, null]);
    expect(await ask(`${generateKey('test')}x`)).toEqual([401, null]);
    expect(await ask(undefined)).toEqual([401, null]);
  });
});

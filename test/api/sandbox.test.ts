import { beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey } from '../../core/access/api-key.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { sandboxCompliance, sandboxRegistrations, sandboxVehicle } from '../../core/sandbox/sandbox-records.ts';
import type { Call, Reply } from '../support/api.ts';
import { NOON } from '../support/clock.ts';
import { someFields } from '../support/content.ts';
import { storeItems } from '../support/engine.ts';
import { aCompliance, aCounter, aVehicle } from '../support/records.ts';
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

const call = (method: string, path: string, options: Call = {}) => api.call(method, path, { key: testKey, ...options });
const insuranceOf = (registration: string, options: Call = {}) =>
  call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance`, options);
const complianceOf = (registration: string, options: Call = {}) =>
  call('GET', `/v1/compliance/${encodeURIComponent(registration)}`, options);
const LOOKUPS = [
  ['insurance', insuranceOf],
  ['compliance', complianceOf],
] as const;
const BULK = ['/v1/vehicle/bulk-insurance', '/v1/vehicle/bulk-compliance'] as const;
const bulk = (path: string, registrations: readonly string[], options: Call = {}) =>
  call('POST', path, { json: { registrations }, ...options });
const resultsOf = ({ body }: Reply) => (body as { results: object[] }).results;

describe('Lookups of a test key', () => {
  it('return every sandbox vehicle, dated from today, alone and in bulk', async () => {
    const registrations = sandboxRegistrations();
    expect(registrations).toHaveLength(30);
    const today = londonDate(new Date(NOON));
    const insurance = resultsOf(await bulk(BULK[0], registrations));
    const compliance = resultsOf(await bulk(BULK[1], registrations));
    for (const [index, registration] of registrations.entries()) {
      const { vehicle } = sandboxVehicle(registration, today) ?? {};
      const lookup = { vehicle, lastUpdated: '2026-06-14T08:30:00.000Z', ...insurance[index] };
      expect((await insuranceOf(registration)).body).toMatchObject(lookup);
      const { lastUpdated } = sandboxCompliance(registration, today) ?? {};
      const verdict = { ...compliance[index], details: { mot: { lastUpdated } } };
      expect((await complianceOf(registration)).body).toMatchObject(
        lastUpdated === undefined ? { code: 'COMPLIANCE_NOT_FOUND' } : verdict,
      );
    }
  });

  it('use the date in London', async () => {
    expect((await insuranceOf('BD51 SMR')).body).toMatchObject({ policy: { validTo: '2026-06-15' } });
    api.clock.now = Date.parse('2026-06-15T23:30:00Z');
    expect((await insuranceOf('BD51 SMR')).body).toMatchObject({ policy: { validTo: '2026-06-16' } });
  });

  it('find no vehicle of the tables, and make no database request besides those of admission', async () => {
    const { keys, usage } = api.engine.names;
    const admission = [`GetItem ${keys}`, `UpdateItem ${usage}`];
    for (const send of [
      ...LOOKUPS.map(
        ([, lookUp]) =>
          () =>
            lookUp(OF_THE_TABLES),
      ),
      ...BULK.map((path) => () => bulk(path, [OF_THE_TABLES, ...Array.from({ length: 999 }, (_, nth) => `B${nth}`)])),
    ]) {
      api.faults.reset();
      const before = api.faults.calls.length;
      expect((await send()).text).toContain('"VEHICLE_NOT_FOUND"');
      const calls = api.faults.calls.slice(before).map(({ operation, tables }) => `${operation} ${tables.join()}`);
      expect(calls.sort()).toEqual(admission);
    }
    expect((await insuranceOf('AB12CDE')).body).toMatchObject({ vehicle: { make: 'Ford' } });
    expect((await insuranceOf('AB12CDE', { key: api.key })).body).toMatchObject({ vehicle: { make: 'Škoda' } });
  });

  it('require a valid key with the scope and quota left in its window, even where an outcome is forced', async () => {
    const narrow = await api.newKey({ environment: 'test', scopes: ['content:read'] });
    const free = await api.newKey({ environment: 'test', plan: 'free' });
    await storeItems(api.engine.client, api.engine.names.usage, [aCounter(free, 60)]);
    for (const registration of ['AB12CDE', THROTTLED, FAILING]) {
      const statusOf = async (key: string) => (await insuranceOf(registration, { key })).status;
      expect([await statusOf(generateKey('test')), await statusOf(narrow)]).toEqual([401, 403]);
      const detail = expect.stringContaining('The plan allows 60');
      expect((await insuranceOf(registration, { key: free })).body).toMatchObject({ status: 429, detail });
    }
  });
});

describe('A forced outcome', () => {
  it.each(LOOKUPS)('of %s is 429 or 500, however it is written, and counts once', async (_what, lookUp) => {
    const key = await api.newKey({ environment: 'test', plan: 'free' });
    const forced = {
      RATE_LIMITED: [THROTTLED, 'er19thr', 'Er19-Thr'],
      INTERNAL_ERROR: [FAILING, 'er19err', 'ER19·ERR'],
    };
    let remaining = 60;
    for (const [code, registrations] of Object.entries(forced)) {
      for (const registration of registrations) {
        const reply = await lookUp(registration, { key });
        expect(reply.body).toMatchObject({ code, detail: expect.stringContaining('sandbox') });
        remaining -= 1;
        expect([rateLimitOf(reply)[1], reply.headers.get('retry-after')]).toEqual([String(remaining), '1']);
      }
    }
  });

  it.each(BULK)('is LOOKUP_UNAVAILABLE as an entry of %s, and affects no other entry', async (path) => {
    const reply = await bulk(path, ['AB12 CDE', 'er19 thr', FAILING, 'AB12 CDE']);
    expect(reply).toMatchObject({ status: 200, body: { processed: 4, successful: 2, failed: 2 } });
    expect(resultsOf(reply).slice(1, 3)).toMatchObject([
      { registration: 'er19 thr', code: 'LOOKUP_UNAVAILABLE' },
      { registration: FAILING, code: 'LOOKUP_UNAVAILABLE' },
    ]);
  });

  it('is only for test keys', async () => {
    for (const registration of [THROTTLED, FAILING]) {
      for (const [, lookUp] of LOOKUPS) expect((await lookUp(registration, { key: api.key })).status).toBe(200);
      for (const path of BULK) {
        expect((await bulk(path, [registration], { key: api.key })).body).toMatchObject({ successful: 1 });
      }
    }
  });
});

describe('X-Sandbox', () => {
  it.each<[string, number, (key: string) => Promise<Reply>]>([
    ['a lookup', 200, (key) => insuranceOf('AB12CDE', { key })],
    ['an unknown vehicle', 404, (key) => insuranceOf('ZZ99ZZZ', { key })],
    ['another method', 405, (key) => call('PATCH', '/v1/usage', { key })],
    ['malformed JSON', 400, (key) => call('POST', BULK[0], { key, raw: '{' })],
  ])('is true in the response of a test key to %s (%i), and absent for a live key', async (_what, status, ask) => {
    const replies = [await ask(testKey), await ask(api.key)];
    expect(replies.map((reply) => reply.status)).toEqual([status, status]);
    expect(replies.map(({ headers }) => headers.get('x-sandbox'))).toEqual(['true', null]);
  });

  it('is in the 401 to a well-formed test key that does not exist, and in no other 401', async () => {
    const ask = async (key: string | undefined) => {
      const { status, headers } = await api.call('GET', '/v1/usage', { key });
      return [status, headers.get('x-sandbox')];
    };
    expect(await ask(generateKey('test'))).toEqual([401, 'true']);
    for (const key of [generateKey('live'), `${generateKey('test')}x`, undefined]) {
      expect(await ask(key)).toEqual([401, null]);
    }
  });
});

describe('Content of live and of test keys', () => {
  const PATH = '/v1/api/content';
  const asLive: typeof call = (method, path, options = {}) => call(method, path, { key: api.key, ...options });
  const create = async (as: typeof call, domain: string, slug: string) => {
    const { status, body } = await as('POST', PATH, {
      json: someFields(domain, slug),
      headers: { 'Idempotency-Key': slug },
    });
    expect(status).toBe(201);
    return body as ContentItem;
  };
  const listOf = async (as: typeof call, query: string) => (await as('GET', `${PATH}?${query}`)).body;

  it('has separate slugs, Idempotency-Keys, lists and totals', async () => {
    const [live, test] = [await create(asLive, 'same.example', 'a'), await create(call, 'same.example', 'a')];
    expect(live.id).not.toBe(test.id);
    for (const [as, item] of [
      [asLive, live],
      [call, test],
    ] as const) {
      expect(await create(as, 'same.example', 'a')).toEqual(item);
      const taken = await as('POST', PATH, { json: someFields('same.example', 'a') });
      expect(taken.body).toMatchObject({ code: 'SLUG_TAKEN' });
      for (const query of ['domain=same.example&slug=a', 'domain=same.example', '']) {
        expect(await listOf(as, query)).toMatchObject({ items: [item], total: 1 });
      }
    }
  });

  it.each([
    ['live', asLive, call],
    ['test', call, asLive],
  ])(
    'is 404 for the keys of the other environment, whatever the method: an item of a %s key',
    async (name, own, other) => {
      const { id } = await create(own, `${name}-only.example`, name);
      for (const [method, json] of [['GET'], ['PUT', { title: 'Other' }], ['DELETE']] as const) {
        const { body } = await other(method, `${PATH}/${id}`, json && { json });
        expect(body).toMatchObject({ status: 404, code: 'CONTENT_NOT_FOUND' });
      }
      const before = await listOf(other, '');
      expect((await own('PUT', `${PATH}/${id}`, { json: { domain: 'moved.example' } })).body).toMatchObject({
        version: 2,
      });
      expect(await listOf(own, 'domain=moved.example')).toMatchObject({ total: 1 });
      expect((await own('DELETE', `${PATH}/${id}`)).status).toBe(204);
      expect(await listOf(other, '')).toEqual(before);
    },
  );
});

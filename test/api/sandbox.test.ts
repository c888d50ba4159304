import { beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey } from '../../core/access/api-key.ts';
import type { ContentItem } from '../../core/content/item.ts';
import type { Call, Reply } from '../support/api.ts';
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
type Lookup = (registration: string, options?: Call) => Promise<Reply>;
const insuranceOf: Lookup = (registration, options) =>
  call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance`, options);
const complianceOf: Lookup = (registration, options) =>
  call('GET', `/v1/compliance/${encodeURIComponent(registration)}`, options);
/** Of this registration and a sandbox vehicle. */
const bulk =
  (what: string): Lookup =>
  (registration, options) =>
    call('POST', `/v1/vehicle/bulk-${what}`, { json: { registrations: [registration, 'AB12 CDE'] }, ...options });
/** The code of a reply, in bulk that of the first entry. */
const codeOf = ({ body }: Reply): string | undefined => {
  const { code, results = [] } = body as { code?: string; results?: { code?: string }[] };
  return code ?? results[0]?.code;
};
const ALONE = [
  ['insurance', insuranceOf],
  ['compliance', complianceOf],
] as const;
const IN_BULK = [
  ['insurance in bulk', bulk('insurance')],
  ['compliance in bulk', bulk('compliance')],
] as const;

/** The vehicles and their dates: test/sandbox. */
describe('Lookups of a test key', () => {
  it.each([...ALONE, ...IN_BULK])(
    'of %s find vehicles of the sandbox and none of the tables, and make no database request besides those of admission',
    async (_what, lookUp) => {
      const { keys, usage } = api.engine.names;
      expect(codeOf(await lookUp(OF_THE_TABLES))).toBe('VEHICLE_NOT_FOUND');
      const calls = api.faults.calls.map(({ operation, tables }) => `${operation} ${tables.join()}`);
      expect(calls.sort()).toEqual([`GetItem ${keys}`, `UpdateItem ${usage}`]);
      // In the sandbox a policy ends half a year from now, in the tables with the year.
      const ofTest = await lookUp('AB12CDE');
      const ofLive = await lookUp('AB12CDE', { key: api.key });
      expect([ofTest.text, ofLive.text]).toEqual([
        expect.stringContaining('"validTo":"2026-12-14"'),
        expect.stringContaining('"validTo":"2026-12-31"'),
      ]);
    },
  );

  it.each(ALONE)('of %s are dated from the day in London', async (_what, lookUp) => {
    api.clock.now = Date.parse('2026-06-15T23:30:00Z');
    expect((await lookUp('AB12CDE')).text).toContain('"validTo":"2026-12-15"');
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

/** However it is written: test/sandbox. */
describe('A forced outcome', () => {
  it.each(ALONE)('of %s is 429 or 500, counts once, and is only for test keys', async (_what, lookUp) => {
    const key = await api.newKey({ environment: 'test', plan: 'free' });
    const forced = [
      [THROTTLED, 'RATE_LIMITED', '59'],
      [FAILING, 'INTERNAL_ERROR', '58'],
    ] as const;
    for (const [registration, code, remaining] of forced) {
      const reply = await lookUp(registration, { key });
      expect(reply.body).toMatchObject({ code, detail: expect.stringContaining('sandbox') });
      expect([rateLimitOf(reply)[1], reply.headers.get('retry-after')]).toEqual([remaining, '1']);
      expect((await lookUp(registration, { key: api.key })).status).toBe(200);
    }
  });

  it.each(IN_BULK)(
    'is LOOKUP_UNAVAILABLE as an entry of %s, affects no other, and is only for test keys',
    async (_what, lookUp) => {
      const reply = await lookUp(FAILING);
      expect(codeOf(reply)).toBe('LOOKUP_UNAVAILABLE');
      expect(reply.body).toMatchObject({ successful: 1, failed: 1 });
      expect((await lookUp(FAILING, { key: api.key })).body).toMatchObject({ successful: 2 });
    },
  );
});

describe('X-Sandbox', () => {
  it.each<[string, number, (key: string) => Promise<Reply>]>([
    ['a lookup', 200, (key) => insuranceOf('AB12CDE', { key })],
    ['an unknown vehicle', 404, (key) => insuranceOf('ZZ99ZZZ', { key })],
    ['another method', 405, (key) => call('PATCH', '/v1/usage', { key })],
    ['malformed JSON', 400, (key) => call('POST', '/v1/vehicle/bulk-insurance', { key, raw: '{' })],
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
    const sent = { json: someFields(domain, slug), headers: { 'Idempotency-Key': slug } };
    const { status, body } = await as('POST', PATH, sent);
    expect(status).toBe(201);
    return body as ContentItem;
  };
  const listOf = async (as: typeof call, query: string) => (await as('GET', `${PATH}?${query}`)).body;

  it('has separate slugs, Idempotency-Keys, lists and totals', async () => {
    const live = await create(asLive, 'same.example', 'a');
    const test = await create(call, 'same.example', 'a');
    expect(live.id).not.toBe(test.id);
    for (const [as, item] of [
      [asLive, live],
      [call, test],
    ] as const) {
      expect(await create(as, 'same.example', 'a')).toEqual(item);
      for (const query of ['domain=same.example&slug=a', 'domain=same.example', '']) {
        expect(await listOf(as, query)).toMatchObject({ items: [item], total: 1 });
      }
    }
  });

  it.each([
    ['live', asLive, call],
    ['test', call, asLive],
  ])('is 404 for other keys, whatever the method: an item of a %s key', async (name, own, other) => {
    const { id } = await create(own, `${name}-only.example`, name);
    const before = await listOf(other, '');
    for (const [method, json] of [['GET'], ['PUT', { title: 'Other' }], ['DELETE']] as const) {
      const { body } = await other(method, `${PATH}/${id}`, json && { json });
      expect(body).toMatchObject({ status: 404, code: 'CONTENT_NOT_FOUND' });
    }
    expect((await own('PUT', `${PATH}/${id}`, { json: { domain: 'moved.example' } })).status).toBe(200);
    expect(await listOf(own, 'domain=moved.example')).toMatchObject({ total: 1 });
    expect((await own('DELETE', `${PATH}/${id}`)).status).toBe(204);
    expect(await listOf(other, '')).toEqual(before);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportedItems } from '../../admin/export-commands.ts';
import { generateKey, hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { keyOfToday } from '../../functions/probe/probe-key.ts';
import { someFields } from '../support/content.ts';
import { BULK_LOOKUPS, SINGLE_LOOKUPS } from '../support/lookups.ts';
import { aCompliance, aVehicle, NOON } from '../support/records.ts';
import { type Call, liveId, type Reply, rateLimitOf, useApi } from '../support/use-api.ts';

const OF_THE_TABLES = 'LIVE1';
const THROTTLED = 'ER19 THR';
const FAILING = 'ER19 ERR';

const api = useApi(async ({ loadVehicles, loadCompliance }) => {
  // Also under the registrations of a sandbox vehicle and of the forced outcomes.
  const live = [OF_THE_TABLES, 'AB12CDE', 'ER19THR', 'ER19ERR'];
  await loadVehicles(...live.map((registration) => aVehicle(registration)));
  await loadCompliance(...live.map((registration) => aCompliance(registration)));
});
let testKey: string;
let probeKey: string;
beforeAll(async () => {
  testKey = await api.newKey({ environment: 'test' });
  probeKey = (await keyOfToday(new Date(NOON))).key;
});

const call = (method: string, path: string, options: Call = {}) => api.call(method, path, { key: testKey, ...options });
type Lookup = (registration: string, options?: Call) => Promise<Reply>;
const ALONE = SINGLE_LOOKUPS.map(({ id, path }): [string, Lookup] => [
  id,
  (registration, options) => call('GET', path(encodeURIComponent(registration)), options),
]);
const IN_BULK = BULK_LOOKUPS.map((path): [string, Lookup] => [
  path,
  (registration, options) => call('POST', path, { json: { registrations: [registration, 'AB12 CDE'] }, ...options }),
]);
/** The code of a reply; in bulk, the first entry's code. */
const codeOf = ({ body }: Reply): string | undefined => {
  const { code, results = [] } = body as { code?: string; results?: { code?: string }[] };
  return code ?? results[0]?.code;
};

/** The vehicles and their dates: test/unit/sandbox. */
describe('Lookups of a test key or the probe’s', () => {
  it.each([...ALONE, ...IN_BULK])(
    'of %s find vehicles of the sandbox, none of the tables, and only auth makes database requests',
    async (_what, lookUp) => {
      for (const key of [testKey, probeKey]) {
        api.faults.reset();
        expect(codeOf(await lookUp(OF_THE_TABLES, { key }))).toBe('VEHICLE_NOT_FOUND');
        expect(api.requests()).toEqual(['GetItem keys', 'UpdateItem usage']);
      }
      // In the sandbox a policy ends half a year from now, in the tables with the year.
      const ofTest = await lookUp('AB12CDE');
      const ofLive = await lookUp('AB12CDE', { key: api.key });
      expect(ofTest.text).toEqual(expect.stringContaining('"validTo":"2026-12-14"'));
      expect(ofLive.text).toEqual(expect.stringContaining('"validTo":"2026-12-31"'));
    },
  );

  it.each(ALONE)('of %s are dated from the day in London', async (_what, lookUp) => {
    api.clock.now = Date.parse('2026-06-15T23:30:00Z');
    expect((await lookUp('AB12CDE')).text).toContain('"validTo":"2026-12-15"');
  });
});

/** However it is written: test/unit/sandbox. */
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
      expect(rateLimitOf(reply)[1]).toEqual(remaining);
      expect(reply.headers.get('retry-after')).toBe('1');
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

describe('Content', () => {
  const CONTENT = '/v1/api/content';
  const create = async (key: string, slug: string, headers: Record<string, string> = {}) => {
    const { status, body } = await call('POST', CONTENT, { key, json: someFields('a.example', slug), headers });
    expect(status).toBe(201);
    return body as unknown as ContentItem;
  };

  it('of live keys, of test keys and of the probe can be neither read, changed, listed nor deleted by another kind', async () => {
    const keys = [api.key, testKey, probeKey];
    const items = await Promise.all(keys.map((key) => create(key, 'same')));
    for (const [owner, { id }] of items.entries()) {
      for (const [at, key] of keys.entries()) {
        for (const query of ['limit=100', 'domain=a.example&slug=same']) {
          const { body } = await call('GET', `${CONTENT}?${query}`, { key });
          expect(body).toMatchObject({ items: [items[at]], total: 1 });
        }
        if (at === owner) continue;
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const json = method === 'PUT' && { json: { title: 'Other' } };
          const { status } = await call(method, `${CONTENT}/${id}`, { key, ...json });
          expect({ method, status }).toEqual({ method, status: 404 });
        }
      }
    }
    const exported = await Array.fromAsync(exportedItems(api.engine.client, api.engine.names.content));
    expect(exported).toEqual([items[0]]);
  });

  it('is not repeated, and no more is seen, with a forged record of the probe, which is all that its role can write', async () => {
    const headers = { 'Idempotency-Key': 'the same' };
    const live = await create(api.key, 'repeated', headers);
    const key = generateKey('probe');
    const record = { id: keyIdOf(hashKey(key), 'probe'), hash: hashKey(key), name: 'Forged', plan: 'premium' };
    const claims = {
      environment: 'live',
      firstKeyId: liveId(api.key),
      follows: liveId(api.key),
      domains: ['a.example'],
    };
    const forged = { ...record, scopes: SCOPES, createdAt: '', ...claims };
    await api.store('keys', forged);
    expect((await create(key, 'repeated', headers)).id).not.toBe(live.id);
    expect((await call('GET', `${CONTENT}/${live.id}`, { key })).status).toBe(404);
    expect((await call('GET', `/v1/vehicle/${OF_THE_TABLES}/insurance`, { key })).status).toBe(404);
  });
});

describe('X-Sandbox', () => {
  it.each<[string, number, (key: string) => Promise<Reply>]>([
    ['a lookup', 200, (key) => call('GET', '/v1/vehicle/AB12CDE/insurance', { key })],
    ['an unknown vehicle', 404, (key) => call('GET', '/v1/vehicle/ZZ99ZZZ/insurance', { key })],
    ['another method', 405, (key) => call('PATCH', '/v1/usage', { key })],
    ['malformed JSON', 400, (key) => call('POST', '/v1/vehicle/bulk-insurance', { key, raw: '{' })],
  ])('is true in the response of a test key to %s (%i), and absent for another key', async (_what, status, ask) => {
    const replies = [await ask(testKey), await ask(api.key), await ask(probeKey)];
    expect(replies.map((reply) => reply.status)).toEqual([status, status, status]);
    expect(replies.map(({ headers }) => headers.get('x-sandbox'))).toEqual(['true', null, null]);
  });

  it('is in the 401 to a well-formed test key that does not exist, and in no other 401', async () => {
    const ask = async (key: string | undefined) => {
      const { status, headers } = await api.call('GET', '/v1/usage', { key });
      return { status, sandbox: headers.get('x-sandbox') };
    };
    expect(await ask(generateKey('test'))).toEqual({ status: 401, sandbox: 'true' });
    for (const key of [generateKey('live'), `${generateKey('test')}x`, undefined]) {
      expect(await ask(key)).toEqual({ status: 401, sandbox: null });
    }
  });
});

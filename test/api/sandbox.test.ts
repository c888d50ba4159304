import { beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey } from '../../core/access/api-key.ts';
import { keyOfToday } from '../../functions/probe/probe-key.ts';
import { NOON } from '../support/clock.ts';
import { aCompliance, aVehicle } from '../support/records.ts';
import { type Call, type Reply, rateLimitOf, useApi } from '../support/use-api.ts';

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
const insuranceOf: Lookup = (registration, options) =>
  call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance`, options);
const complianceOf: Lookup = (registration, options) =>
  call('GET', `/v1/compliance/${encodeURIComponent(registration)}`, options);
const bulk =
  (what: string): Lookup =>
  (registration, options) =>
    call('POST', `/v1/vehicle/bulk-${what}`, { json: { registrations: [registration, 'AB12 CDE'] }, ...options });
/** The code of a reply; in bulk, the first entry's code. */
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

/** The vehicles and their dates: test/unit/sandbox. Content: test/unit/probe/probe-key.test.ts. */
describe('Lookups of a test key or the probe’s', () => {
  it.each([...ALONE, ...IN_BULK])(
    'of %s find vehicles of the sandbox, none of the tables, and only admission makes database requests',
    async (_what, lookUp) => {
      const { keys, usage } = api.engine.names;
      for (const key of [testKey, probeKey]) {
        api.faults.reset();
        expect(codeOf(await lookUp(OF_THE_TABLES, { key }))).toBe('VEHICLE_NOT_FOUND');
        const calls = api.faults.calls.map(({ operation, tables }) => `${operation} ${tables.join()}`);
        expect(calls.sort()).toEqual([`GetItem ${keys}`, `UpdateItem ${usage}`]);
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

describe('X-Sandbox', () => {
  it.each<[string, number, (key: string) => Promise<Reply>]>([
    ['a lookup', 200, (key) => insuranceOf('AB12CDE', { key })],
    ['an unknown vehicle', 404, (key) => insuranceOf('ZZ99ZZZ', { key })],
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

/** What the log says of lookups, where the stage logs them (docs/operations.md#who-asked-about-a-vehicle). */
import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { keyOfToday } from '../../functions/probe/probe-key.ts';
import { LOCAL_KEY } from '../../local/kms.ts';
import { always, forTable } from '../support/fault-choosers.ts';
import { aCompliance, aVehicle, NOON } from '../support/records.ts';
import { type Call, liveId, useApi, useOutput } from '../support/use-api.ts';

process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';

const INSURANCE = '/v1/vehicle/AB12CDE/insurance';
const BULK = '/v1/vehicle/bulk-insurance';
const BULK_COMPLIANCE = '/v1/vehicle/bulk-compliance';
const JUNE = '2026-06';

const api = useApi(
  async ({ loadVehicles, loadCompliance, store }) => {
    await loadVehicles(aVehicle('AB12CDE'), aVehicle('UNINSURED', []), aVehicle('BÄ1234'));
    await loadCompliance(aCompliance('AB12CDE'), aCompliance('UNINSURED'));
    await store('vehicles', { ...aVehicle('DAMAGED'), policies: 'none' });
  },
  { logLevel: 'INFO', logsLookups: true },
);

const written = useOutput();

/** The text that a request has added to the log, and its status. */
const logOf = async (path: string, call: Call = {}) => {
  const before = written.length;
  const { status } = await api.call(call.json ? 'POST' : 'GET', path, { key: api.key, ...call });
  const text = written.slice(before).join('');
  const line = text.split('\n').find((one) => one.includes('"_aws"')) ?? '{}';
  return { status, text, line, fields: JSON.parse(line) as Readonly<Record<string, unknown>> };
};

const hmac = (secret: string | Buffer, text: string): Buffer => createHmac('sha256', secret).update(text).digest();
/** Computed here from the words of the documentation. */
const hashOf = (registration: string, key = api.key, month = JUNE): string =>
  hmac(hmac(LOCAL_KEY, month), liveId(key) + registration)
    .toString('base64url')
    .slice(0, 16);

describe('The log line of a lookup ends with a hash of each registration and what was answered', () => {
  it.each([
    [200, INSURANCE, 'AB12CDE', 'T'],
    [200, '/v1/vehicle/ab12-cde/insurance?date=2026-06-14', 'AB12CDE', 'T'],
    [200, '/v1/vehicle/UNINSURED/insurance', 'UNINSURED', 'F'],
    [200, `/v1/vehicle/${encodeURIComponent('bä 12-34')}/insurance`, 'BÄ1234', 'T'],
    [404, '/v1/vehicle/ZZ99ZZZ/insurance', 'ZZ99ZZZ', 'N'],
    [500, '/v1/vehicle/DAMAGED/insurance', 'DAMAGED', 'U'],
    [200, '/v1/compliance/AB12CDE', 'AB12CDE', 'T'],
    [200, '/v1/compliance/UNINSURED', 'UNINSURED', 'F'],
    [404, `/v1/compliance/${encodeURIComponent('BÄ1234')}`, 'BÄ1234', 'N'],
    [404, '/v1/compliance/ZZ99ZZZ', 'ZZ99ZZZ', 'N'],
  ])('%i %s: %s %s', async (status, path, registration, answer) => {
    const found = await logOf(path);
    expect(found.status).toBe(status);
    expect(found.line).toMatch(new RegExp(`,"lookups":"${hashOf(registration)}${answer}"}$`));
  });

  const registrations = ['ab12 cde', 'UNINSURED', 'ZZ99ZZZ', '?', 'DAMAGED', 'AB12CDE', 'bä1234'];
  const inBulk = (ofLast: string) =>
    Object.entries({ AB12CDE: 'T', UNINSURED: 'F', ZZ99ZZZ: 'N', DAMAGED: 'U', BÄ1234: ofLast })
      .map(([registration, answer]) => hashOf(registration) + answer)
      .join(' ');

  it('with the day of an answer for another one', async () => {
    const date = '2026-06-14';
    expect((await logOf(`${INSURANCE}?date=${date}`)).fields).toHaveProperty('asOf', date);
    expect((await logOf(BULK, { json: { registrations, date } })).fields).toHaveProperty('asOf', date);
    expect((await logOf(INSURANCE)).fields).not.toHaveProperty('asOf');
  });

  it('in bulk once for each registration, separated by blanks', async () => {
    expect((await logOf(BULK, { json: { registrations } })).fields.lookups).toBe(inBulk('T'));
    expect((await logOf(BULK_COMPLIANCE, { json: { registrations } })).fields.lookups).toBe(inBulk('N'));
    expect((await logOf(BULK, { json: { registrations: ['?'] } })).fields).not.toHaveProperty('lookups');
  });

  it('and says that nothing was read when the whole request is 500', async () => {
    api.faults.inject(forTable(api.engine.names.vehicles, always('error')));
    const { status, fields } = await logOf(BULK, { json: { registrations: ['AB12CDE', 'ZZ99ZZZ'] } });
    expect([status, fields.lookups]).toEqual([500, `${hashOf('AB12CDE')}U ${hashOf('ZZ99ZZZ')}U`]);
  });

  it('which differ for each key and each UTC month of the request', async () => {
    const other = await api.newKey();
    expect((await logOf(INSURANCE, { key: other })).fields.lookups).toBe(`${hashOf('AB12CDE', other)}T`);
    api.clock.now = Date.parse('2026-06-30T23:59:59.999Z');
    expect((await logOf(INSURANCE)).fields.lookups).toBe(`${hashOf('AB12CDE')}T`);
    api.clock.now = Date.parse('2026-07-01T00:00:00Z');
    expect((await logOf(INSURANCE)).fields.lookups).toBe(`${hashOf('AB12CDE', api.key, '2026-07')}T`);
  });

  it('and has the reference too', async () => {
    const { line, fields } = await logOf(INSURANCE, { headers: { 'X-Reference': 'case-4711' } });
    expect(fields.reference).toBe('case-4711');
    expect(line).toMatch(/T"}$/);
  });

  it('in at most 24 kB for 1,000 registrations', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `MANY${index}`);
    const headers = { 'X-Reference': 'x'.repeat(64), traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    const { text } = await logOf(BULK, { json: { registrations: many }, headers });
    expect(Buffer.byteLength(text)).toBeGreaterThan(17_000);
    expect(Buffer.byteLength(text)).toBeLessThan(24_000);
  });
});

describe('Nothing of a lookup is logged', () => {
  const headers = { 'X-Reference': 'case-4711' };
  const nothing = ({ text }: { readonly text: string }) => expect(text).not.toMatch(/lookups|case-4711/);

  it('with a test key or that of the probe', async () => {
    for (const key of [await api.newKey({ environment: 'test' }), (await keyOfToday(new Date(NOON))).key]) {
      nothing(await logOf(INSURANCE, { key, headers }));
      nothing(await logOf(BULK, { key, headers, json: { registrations: ['AB12CDE'] } }));
    }
    expect(api.kmsFaults.calls).toEqual([]);
  });

  it('when the request was rejected, or asks no lookup', async () => {
    nothing(await logOf(INSURANCE, { key: undefined, headers }));
    nothing(await logOf(INSURANCE, { key: await api.newKey({ plan: 'free' }, 60), headers }));
    nothing(await logOf(INSURANCE, { key: await api.newKey({ scopes: [] }), headers }));
    nothing(await logOf(`${INSURANCE}?date=1`, { headers }));
    nothing(await logOf('/v1/vehicle/AB12_CDE/insurance', { headers }));
    nothing(await logOf(BULK, { headers, json: { registrations: ['AB12CDE', 1] } }));
    nothing(await logOf('/v1/usage', { headers }));
  });
});

describe('The secret of a month', () => {
  let month = 0;
  /** A month of which no function of this file has the secret yet. */
  beforeEach(() => {
    month += 1;
    api.clock.now = Date.UTC(2027, month, 10);
  });
  const derived = () => api.kmsFaults.calls.map(({ operation, body }) => [operation, JSON.parse(body)]);

  it('is derived once by each function, also for concurrent requests', async () => {
    await Promise.all(Array.from({ length: 5 }, () => logOf(INSURANCE)));
    await logOf(INSURANCE);
    const Message = Buffer.from(new Date(api.clock.now).toISOString().slice(0, 7)).toString('base64');
    const input = { KeyId: LOCAL_KEY, MacAlgorithm: 'HMAC_SHA_256', Message };
    expect(derived()).toEqual([['GenerateMac', input]]);
  });

  it('is asked for again after a transient error', async () => {
    let calls = 0;
    api.kmsFaults.inject(() => {
      calls += 1;
      return (['throttle', 'resetBefore'] as const)[calls - 1];
    });
    expect((await logOf(INSURANCE)).status).toBe(200);
    expect(api.kmsFaults.calls).toHaveLength(3);
  });

  it.each(['deny', 'hang', 'error'] as const)(
    'that cannot be derived (%s) makes lookups 500 for 5 seconds, without another attempt',
    async (fault) => {
      api.kmsFaults.inject(always(fault));
      const failed = await logOf(INSURANCE);
      const asked = api.kmsFaults.calls.length;
      expect(failed.fields).toMatchObject({ status: 500, code: 'INTERNAL_ERROR', ServerErrors: 1 });
      expect(failed.text).toContain('"message":"failure"');
      expect(failed.text).not.toMatch(/lookups|DatabaseErrors/);
      expect((await logOf('/v1/vehicle/ZZ99ZZZ/insurance')).status).toBe(500);
      expect((await logOf('/v1/usage')).status).toBe(200);
      api.kmsFaults.inject(() => undefined);
      api.clock.now += 4_999;
      expect((await logOf(INSURANCE)).status).toBe(500);
      expect(api.kmsFaults.calls).toHaveLength(asked);
      api.clock.now += 1;
      expect((await logOf(INSURANCE)).status).toBe(200);
    },
  );

  it('is not needed by a sandbox lookup while it cannot be derived', async () => {
    api.kmsFaults.inject(always('deny'));
    const key = await api.newKey({ environment: 'test' });
    expect((await logOf(INSURANCE, { key })).status).toBe(200);
  });
});

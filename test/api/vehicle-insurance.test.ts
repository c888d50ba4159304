import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../support/api.ts';
import { aPolicy, aVehicle } from '../support/records.ts';

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
  await api.loadVehicles(
    aVehicle('AB12CDE'),
    aVehicle('LAPSED', [aPolicy({ validFrom: '2025-06-15', validTo: '2026-06-14' })]),
    aVehicle('LASTDAY', [aPolicy({ validFrom: '2025-06-16', validTo: '2026-06-15' })]),
    aVehicle('FIRSTDAY', [aPolicy({ validFrom: '2026-06-15', validTo: '2027-06-14' })]),
    aVehicle('FUTURE', [aPolicy({ validFrom: '2026-06-16', validTo: '2027-06-15' })]),
    aVehicle('NOPOLICY', []),
    aVehicle('RENEWED', [
      aPolicy({ number: 'NEXT', validFrom: '2026-07-01', validTo: '2027-06-30' }),
      aPolicy({ number: 'NOW', validFrom: '2025-07-01', validTo: '2026-06-30' }),
    ]),
    aVehicle('ÖL77Ä'),
  );
});
afterAll(() => api.stop());

const lookUp = (registration: string) =>
  api.call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance`, { key });

describe('GET /v1/vehicle/{registration}/insurance', () => {
  it('returns the insurance record of a known vehicle', async () => {
    const { status, headers, body } = await lookUp('AB12CDE');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toEqual({
      registration: 'AB12CDE',
      insured: true,
      policy: aPolicy(),
      vehicle: { make: 'Škoda', model: 'Octavia', year: 2021, color: 'Green' },
      lastUpdated: '2026-01-02T03:04:05.000Z',
    });
  });

  it.each(['ab12 cde', 'AB12-CDE', 'a.b·1 2c-d.e', ' AB12CDE '])(
    'finds the same vehicle as %j and echoes it',
    async (text) => {
      const { status, body } = await lookUp(text);
      expect(status).toBe(200);
      expect(body).toMatchObject({ registration: text, insured: true });
    },
  );

  it('finds letters beyond A to Z, composed or not', async () => {
    expect((await lookUp('öl77ä')).status).toBe(200);
    expect((await lookUp('ÖL77Ä'.normalize('NFD'))).status).toBe(200);
  });

  it.each([
    ['LAPSED', false],
    ['LASTDAY', true],
    ['FIRSTDAY', true],
    ['FUTURE', false],
  ])('answers %s with insured %s and the policy', async (registration, insured) => {
    const { status, body } = await lookUp(registration);
    expect(status).toBe(200);
    expect(body).toMatchObject({ insured, policy: { number: 'POL-1' } });
  });

  it('answers a vehicle without a policy with policy null', async () => {
    expect((await lookUp('NOPOLICY')).body).toMatchObject({ insured: false, policy: null });
  });

  it('answers with the policy in force when a renewal was loaded early', async () => {
    expect((await lookUp('RENEWED')).body).toMatchObject({ insured: true, policy: { number: 'NOW' } });
  });

  it('counts days in Europe/London: at 23:30 UTC in summer it is tomorrow', async () => {
    api.clock.now = Date.parse('2026-06-15T23:30:00Z');
    const { body } = await lookUp('FUTURE');
    api.clock.now = Date.parse('2026-06-15T12:00:10Z');
    expect(body).toMatchObject({ insured: true });
  });

  it('returns 404 VEHICLE_NOT_FOUND when the registration is unknown', async () => {
    const { status, headers, body } = await lookUp('ZZ99ZZZ');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({ status: 404, title: 'Not Found', code: 'VEHICLE_NOT_FOUND' });
  });

  it.each(['TOOLONGPLATE9', 'AB12_CDE', 'AB12CDÉ', 'ÄÖÜ', '---', '%', 'AB%31', 'A\tB', 'x'.repeat(200), '🚗'])(
    'returns 400 INVALID_REGISTRATION for %j',
    async (text) => {
      const { status, body } = await lookUp(text);
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'INVALID_REGISTRATION', errors: [{ parameter: 'registration' }] });
    },
  );

  it('never decodes twice: AB%2531 is not AB%31 decoded to AB1', async () => {
    await api.loadVehicles(aVehicle('AB1'));
    expect((await api.call('GET', '/v1/vehicle/AB%2531/insurance', { key })).status).toBe(400);
    expect((await api.call('GET', '/v1/vehicle/AB%31/insurance', { key })).status).toBe(200);
  });

  it('reads the database in one round trip, the key, the counter and the vehicle at once', async () => {
    api.faults.reset();
    await lookUp('AB12CDE');
    expect(api.faults.calls.map(({ operation }) => operation).sort()).toEqual(['GetItem', 'GetItem', 'UpdateItem']);
  });
});

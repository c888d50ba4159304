import { describe, expect, it } from '@jest/globals';
import { aPolicy, aVehicle } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';

const lapsed = aPolicy({ validTo: '2026-06-14' });

const api = testApi(({ loadVehicles }) =>
  loadVehicles(
    aVehicle('AB12CDE'),
    aVehicle('AB1'),
    aVehicle('ÖL77Ä'),
    aVehicle('LAPSED', [lapsed]),
    aVehicle('FUTURE', [aPolicy({ validFrom: '2026-06-16', validTo: '2027-06-15' })]),
    aVehicle('NOPOLICY', []),
  ),
);

const atPath = (registration: string) => api.call('GET', `/v1/vehicle/${registration}/insurance`, { key: api.key });
const lookUp = (registration: string) => atPath(encodeURIComponent(registration));

/** Which policy answers, and every form of a registration: test/vehicles. */
describe('GET /v1/vehicle/{registration}/insurance', () => {
  it('returns the insurance record of a known vehicle', async () => {
    const { status, headers, body } = await lookUp('AB12CDE');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(body).toEqual({
      registration: 'AB12CDE',
      insured: true,
      policy: aPolicy(),
      vehicle: { make: 'Škoda', model: 'Octavia', year: 2021, color: 'Green' },
      lastUpdated: '2026-01-02T03:04:05.000Z',
    });
  });

  it.each(['ab12 cde', 'a.b·1 2c-d.e', ' AB12CDE ', 'öl77ä', 'ÖL77Ä'.normalize('NFD')])(
    'finds the same vehicle as %j and returns the registration as it was sent',
    async (registration) => {
      expect(await lookUp(registration)).toMatchObject({ status: 200, body: { registration, insured: true } });
    },
  );

  it.each([
    ['LAPSED', lapsed],
    ['NOPOLICY', null],
  ])('returns insured false and the policy or null for %s', async (registration, policy) => {
    expect(await lookUp(registration)).toMatchObject({ status: 200, body: { insured: false, policy } });
  });

  it('counts days in Europe/London: at 23:30 UTC in summer it is tomorrow', async () => {
    expect((await lookUp('FUTURE')).body).toMatchObject({ insured: false });
    api.clock.now = Date.parse('2026-06-15T23:30:00Z');
    expect((await lookUp('FUTURE')).body).toMatchObject({ insured: true });
  });

  it('returns 404 VEHICLE_NOT_FOUND when the registration is unknown', async () => {
    const { headers, body } = await lookUp('ZZ99ZZZ');
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({ status: 404, title: 'Not Found', code: 'VEHICLE_NOT_FOUND' });
  });

  it.each(['TOOLONGPLATE9', 'AB12CDÉ', '---', '%', 'AB%31', 'A\tB', 'x'.repeat(200), '🚗'])(
    'returns 400 INVALID_REGISTRATION for %j',
    async (text) => {
      const body = { status: 400, code: 'INVALID_REGISTRATION', errors: [{ parameter: 'registration' }] };
      expect((await lookUp(text)).body).toMatchObject(body);
    },
  );

  it('decodes a path once: AB%2531 is AB%31, not AB1', async () => {
    expect((await atPath('AB%2531')).status).toBe(400);
    expect((await atPath('AB%31')).status).toBe(200);
  });

  it('reads the key, the counter and the vehicle in one round trip', async () => {
    await lookUp('AB12CDE');
    expect(api.faults.calls.map(({ operation }) => operation).sort()).toEqual(['GetItem', 'GetItem', 'UpdateItem']);
  });
});

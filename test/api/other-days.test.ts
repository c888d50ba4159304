import { describe, expect, it } from '@jest/globals';
import { generateKey } from '../../core/access/api-key.ts';
import { aCompliance, aPolicy, aVehicle } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';

const lastYear = aPolicy({ number: 'OLD', validFrom: '2025-01-01', validTo: '2025-12-31' });
const thisYear = aPolicy({ number: 'NEW' });
const api = testApi(async ({ loadVehicles, loadCompliance }) => {
  await loadVehicles(aVehicle('AB12CDE', [thisYear, lastYear]));
  await loadCompliance(aCompliance('AB12CDE'));
});

const look = (query: string) => api.call('GET', `/v1/vehicle/AB12CDE/insurance${query}`, { key: api.key });

describe('GET /v1/vehicle/{registration}/insurance?date=', () => {
  it.each([
    ['2025-12-31', true, 'OLD'],
    ['2026-01-01', true, 'NEW'],
    ['2024-12-31', false, 'OLD'],
    ['2099-12-31', false, 'NEW'],
    ['1900-01-01', false, 'OLD'],
  ])('answers for %s by the policies known now', async (date, insured, number) => {
    expect((await look(`?date=${date}`)).body).toMatchObject({ insured, policy: { number }, asOf: date });
  });

  it('has no asOf without a date', async () => {
    expect(Object.keys((await look('')).body as object)).not.toContain('asOf');
  });

  it.each(['', '2026-02-30', '1899-12-31', '2100-01-01', '01/05/2026', '2026-6-1', 'today', '2026-06-15T00:00:00Z'])(
    'returns 400 for "%s"',
    async (date) => {
      expect((await look(`?date=${date}`)).body).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ parameter: 'date', detail: 'must be a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD' }],
      });
    },
  );

  it('returns 400 for two dates', async () => {
    expect((await look('?date=2026-01-01&date=2026-01-01')).body).toMatchObject({
      errors: [{ parameter: 'date', detail: 'must not be given more than once' }],
    });
  });

  it('returns 401 to an unknown key before 400', async () => {
    const key = generateKey('live');
    expect((await api.call('GET', '/v1/vehicle/AB12CDE/insurance?date=x', { key })).status).toBe(401);
  });
});

describe('POST /v1/vehicle/bulk-insurance with a date', () => {
  const verify = (date: unknown) =>
    api.call('POST', '/v1/vehicle/bulk-insurance', {
      key: api.key,
      json: { registrations: ['AB12CDE', 'NOWHERE'], date },
    });

  it('answers every entry for that day', async () => {
    expect((await verify('2025-06-15')).body).toMatchObject({
      results: [{ insured: true, policy: { number: 'OLD' } }, { code: 'VEHICLE_NOT_FOUND' }],
      asOf: '2025-06-15',
    });
  });

  it.each([
    ['2026-02-30', 'must be a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD'],
    ['', 'must be a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD'],
    [20250615, 'must be a string'],
    [null, 'must be a string'],
  ])('returns 400 for %j', async (date, detail) => {
    expect((await verify(date)).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '/date', detail }],
    });
  });
});

describe('POST /v1/vehicle/bulk-insurance?date=', () => {
  it('returns 400, because an ignored date would be answered for today', async () => {
    const json = { registrations: ['AB12CDE'] };
    const { body } = await api.call('POST', '/v1/vehicle/bulk-insurance?date=2025-06-15', { key: api.key, json });
    expect(body).toMatchObject({
      errors: [{ parameter: 'date', detail: expect.stringContaining('field of the body') }],
    });
  });
});

describe('GET /v1/compliance/{registration}?date=', () => {
  it('returns 400 and says why', async () => {
    expect((await api.call('GET', '/v1/compliance/AB12CDE?date=2026-06-15', { key: api.key })).body).toMatchObject({
      status: 400,
      errors: [{ parameter: 'date', detail: expect.stringContaining('no history') }],
    });
  });
});

describe('An unknown registration', () => {
  it.each(['/v1/vehicle/AB1O%20CDE/insurance', '/v1/compliance/ab-1o-cde'])(
    'returns 404 with the registration that was probably meant: %s',
    async (path) => {
      expect((await api.call('GET', path, { key: api.key })).body).toMatchObject({
        code: 'VEHICLE_NOT_FOUND',
        suggestion: 'AB10CDE',
      });
    },
  );

  it('returns 404 without a suggestion when there is none', async () => {
    const { body } = await api.call('GET', '/v1/vehicle/NOWHERE/insurance', { key: api.key });
    expect(Object.keys(body as object)).not.toContain('suggestion');
  });
});

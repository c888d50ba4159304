import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../support/api.ts';
import { aCompliance, aPolicy, aVehicle } from '../support/records.ts';

let api: TestApi;
let key: string;

const lapsed = [aPolicy({ validTo: '2026-06-14' })];
const future = [aPolicy({ validFrom: '2026-06-16' })];

beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
  const cases = [
    [aVehicle('GOOD'), aCompliance('GOOD')],
    [aVehicle('NOPOLICY', []), aCompliance('NOPOLICY')],
    [aVehicle('LAPSED', lapsed), aCompliance('LAPSED')],
    [aVehicle('FUTURE', future), aCompliance('FUTURE')],
    [aVehicle('MOTTODAY'), aCompliance('MOTTODAY', { mot: { dueDate: '2026-06-15' } })],
    [aVehicle('MOTLATE'), aCompliance('MOTLATE', { mot: { dueDate: '2026-06-14' } })],
    [aVehicle('EXEMPT'), aCompliance('EXEMPT', { mot: { exempt: true }, roadTax: { exempt: true } })],
    [aVehicle('TAXTODAY'), aCompliance('TAXTODAY', { roadTax: { paidUntil: '2026-06-15' } })],
    [aVehicle('TAXLATE'), aCompliance('TAXLATE', { roadTax: { paidUntil: '2026-06-14' } })],
    [aVehicle('SORN'), aCompliance('SORN', { roadTax: { sorn: true } })],
    [aVehicle('FINES'), aCompliance('FINES', { outstandingFines: 2 })],
    [
      aVehicle('EVERYTHING', []),
      aCompliance('EVERYTHING', { mot: { dueDate: '2020-01-01' }, roadTax: { sorn: true }, outstandingFines: 1 }),
    ],
  ] as const;
  await api.loadVehicles(...cases.map(([vehicle]) => vehicle), aVehicle('UNCHECKED'));
  await api.loadCompliance(...cases.map(([, record]) => record), aCompliance('ORPHAN'));
});
afterAll(() => api.stop());

const check = (registration: string) => api.call('GET', `/v1/compliance/${registration}`, { key });

describe('GET /v1/compliance/{registration}', () => {
  it('returns a verdict of four checks', async () => {
    const { status, body } = await check('go%20od');
    expect(status).toBe(200);
    expect(body).toEqual({
      registration: 'go od',
      compliant: true,
      checks: { insuranceValid: true, motValid: true, roadTaxPaid: true, noOutstandingFines: true },
      reasons: [],
      lastChecked: '2026-06-15T12:00:10.000Z',
    });
  });

  it.each([
    ['NOPOLICY', { insuranceValid: false }, ['NO_POLICY']],
    ['LAPSED', { insuranceValid: false }, ['INSURANCE_LAPSED']],
    ['FUTURE', { insuranceValid: false }, ['INSURANCE_NOT_STARTED']],
    ['MOTTODAY', { motValid: true }, []],
    ['MOTLATE', { motValid: false }, ['MOT_EXPIRED']],
    ['EXEMPT', { motValid: true, roadTaxPaid: true }, []],
    ['TAXTODAY', { roadTaxPaid: true }, []],
    ['TAXLATE', { roadTaxPaid: false }, ['TAX_EXPIRED']],
    ['SORN', { roadTaxPaid: false }, ['SORN']],
    ['FINES', { noOutstandingFines: false }, ['FINES_OUTSTANDING']],
    [
      'EVERYTHING',
      { insuranceValid: false, motValid: false, roadTaxPaid: false, noOutstandingFines: false },
      ['NO_POLICY', 'MOT_EXPIRED', 'SORN', 'FINES_OUTSTANDING'],
    ],
  ])('answers %s with %j because of %j', async (registration, checks, reasons) => {
    const { status, body } = await check(registration);
    expect(status).toBe(200);
    expect(body).toMatchObject({ checks, compliant: reasons.length === 0 });
    expect((body as { reasons: string[] }).reasons).toEqual(reasons);
  });

  it('returns 404 VEHICLE_NOT_FOUND for an unknown vehicle, even one with a compliance record', async () => {
    for (const registration of ['UNKNOWN', 'ORPHAN']) {
      const { status, body } = await check(registration);
      expect(status).toBe(404);
      expect(body).toMatchObject({ code: 'VEHICLE_NOT_FOUND' });
    }
  });

  it('returns 404 COMPLIANCE_NOT_FOUND for a known vehicle without a record: a verdict is never guessed', async () => {
    const { status, body } = await check('UNCHECKED');
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'COMPLIANCE_NOT_FOUND' });
  });

  it('returns 400 INVALID_REGISTRATION for what cannot be a registration', async () => {
    expect((await check('AB_12')).body).toMatchObject({ status: 400, code: 'INVALID_REGISTRATION' });
  });

  it('returns 500, not 404, while the tables cannot be read', async () => {
    api.faults.inject(({ operation }) => (operation === 'BatchGetItem' ? 'error' : undefined));
    const { status, body } = await check('GOOD');
    api.faults.reset();
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});

import { describe, expect, it } from '@jest/globals';
import { always, forOperation } from '../support/fault-choosers.ts';
import { aCompliance, aVehicle } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';

const unpaid = { mot: { dueDate: '2020-01-01' }, roadTax: { sorn: true as const }, outstandingFines: 1 };

const api = testApi(async ({ loadVehicles, loadCompliance }) => {
  await loadVehicles(aVehicle('GOOD'), aVehicle('BAD', []), aVehicle('UNCHECKED'));
  await loadCompliance(aCompliance('GOOD'), aCompliance('BAD', unpaid), aCompliance('ORPHAN'));
});

const check = (registration: string) => api.call('GET', `/v1/compliance/${registration}`, { key: api.key });

/** Each single reason: test/compliance/verdict.test.ts. */
describe('GET /v1/compliance/{registration}', () => {
  it.each([
    ['go od', true, []],
    ['BAD', false, ['NO_POLICY', 'MOT_EXPIRED', 'SORN', 'FINES_OUTSTANDING']],
  ])('returns four checks, the verdict and its reasons for %s', async (registration, passed, reasons) => {
    const { status, body } = await check(encodeURIComponent(registration));
    expect(status).toBe(200);
    expect(body).toEqual({
      registration,
      compliant: passed,
      checks: { insuranceValid: passed, motValid: passed, roadTaxPaid: passed, noOutstandingFines: passed },
      reasons,
      // Each status and date: test/compliance/verdict.test.ts.
      details: {
        insurance: expect.objectContaining({ lastUpdated: '2026-01-02T03:04:05.000Z' }),
        mot: expect.objectContaining({ lastUpdated: null }),
        roadTax: expect.objectContaining({ lastUpdated: null }),
        fines: expect.objectContaining({ lastUpdated: null }),
      },
      lastChecked: '2026-06-15T12:00:10.000Z',
    });
  });

  it.each([
    ['VEHICLE_NOT_FOUND', 404, 'an unknown vehicle', 'UNKNOWN'],
    ['VEHICLE_NOT_FOUND', 404, 'an unknown vehicle with a compliance record', 'ORPHAN'],
    ['COMPLIANCE_NOT_FOUND', 404, 'a vehicle without a compliance record: no verdict is guessed', 'UNCHECKED'],
    ['INVALID_REGISTRATION', 400, 'what cannot be a registration', 'AB_12'],
  ])('returns %s (%i) for %s', async (code, status, _what, registration) => {
    expect(await check(registration)).toMatchObject({ status, body: { code } });
  });

  it('returns 500, not 404, while the tables cannot be read', async () => {
    api.faults.inject(forOperation('BatchGetItem', always('error')));
    expect(await check('GOOD')).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } });
  });
});

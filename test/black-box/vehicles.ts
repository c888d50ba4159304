import { describe, expect, it } from '@jest/globals';
import type { Api } from './api.ts';
import { expectProblem, expectSuccess } from './expectations.ts';

const DAY = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
const LAST_UPDATED = expect.stringMatching(/^\d{4}-.*Z$/);

/** Lookups of one vehicle, on the sample vehicles. */
export const vehicleTests = (api: () => Api): void => {
  const insuranceOf = (registration: string, query = '') =>
    api().call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance${query}`);
  const complianceOf = (registration: string, query = '') =>
    api().call('GET', `/v1/compliance/${encodeURIComponent(registration)}${query}`);

  describe('Insurance of one vehicle', () => {
    it.each<[string, object]>([
      [
        'AB12CDE',
        {
          insured: true,
          policy: { insurer: 'Acme Mutual', type: 'Comprehensive' },
          vehicle: { make: 'Ford', model: 'Fiesta', year: 2012, color: 'Blue' },
        },
      ],
      ['ab12 cde', { insured: true }],
      ['öl-77.ä', { insured: true }],
      ['DG65OLD', { insured: false, vehicle: { make: 'Nissan' } }],
      ['KR08NIL', { insured: false, policy: null }],
    ])('%s: 200', async (registration, body) => {
      expectSuccess(await insuranceOf(registration), { registration, ...body });
    });

    it('another day: 200 with asOf', async () => {
      expectSuccess(await insuranceOf('AB12CDE', '?date=2000-02-29'), { insured: false, asOf: '2000-02-29' });
      expectSuccess(await insuranceOf('KR08NIL', '?date=2099-12-31'), { insured: false, asOf: '2099-12-31' });
    });

    it.each(['2001-02-29', '1899-12-31', 'today', ''])('?date=%s: 400', async (date) => {
      expectProblem(await insuranceOf('AB12CDE', `?date=${date}`), 400, 'VALIDATION_FAILED', {
        errors: [{ parameter: 'date' }],
      });
    });

    it('unknown vehicle with O for 0: 404 with a suggestion', async () => {
      expectProblem(await insuranceOf('AB1OCDE'), 404, 'VEHICLE_NOT_FOUND', { suggestion: 'AB10CDE' });
    });

    it('unknown vehicle: 404', async () => {
      expectProblem(await insuranceOf('ZZ99ZZZ'), 404, 'VEHICLE_NOT_FOUND', { title: 'Not Found' });
    });

    it('no valid registration: 400', async () => {
      expectProblem(await insuranceOf('not_a_plate'), 400, 'INVALID_REGISTRATION', {
        errors: [{ parameter: 'registration' }],
      });
    });
  });

  describe('Compliance of one vehicle', () => {
    it.each<[string, object]>([
      ['AB12CDE', { compliant: true, reasons: [] }],
      [
        'TC11ALL',
        { compliant: false, reasons: ['INSURANCE_LAPSED', 'MOT_EXPIRED', 'TAX_EXPIRED', 'FINES_OUTSTANDING'] },
      ],
      ['RA09SRN', { compliant: false, reasons: ['SORN'] }],
    ])('%s: 200', async (registration, body) => {
      expectSuccess(await complianceOf(registration), { registration, ...body });
    });

    it('contains status, date and age of each source', async () => {
      expectSuccess(await complianceOf('TC11ALL'), {
        details: {
          insurance: { status: 'LAPSED', validTo: DAY, lastUpdated: LAST_UPDATED },
          mot: { status: 'EXPIRED', dueDate: DAY, lastUpdated: LAST_UPDATED },
          roadTax: { status: 'EXPIRED', paidUntil: DAY, lastUpdated: LAST_UPDATED },
          fines: { status: 'OUTSTANDING', outstanding: 3, lastUpdated: LAST_UPDATED },
        },
      });
      expectSuccess(await complianceOf('RA09SRN'), { details: { roadTax: { status: 'SORN', paidUntil: null } } });
    });

    it('another day: 400', async () => {
      expectProblem(await complianceOf('AB12CDE', '?date=2020-02-29'), 400, 'VALIDATION_FAILED', {
        errors: [{ parameter: 'date' }],
      });
    });

    it.each([
      ['no compliance record', 'VE24UNK', 404, 'COMPLIANCE_NOT_FOUND'],
      ['unknown vehicle', 'ZZ99ZZZ', 404, 'VEHICLE_NOT_FOUND'],
      ['no valid registration', '!', 400, 'INVALID_REGISTRATION'],
    ] as const)('%s (%s): %d', async (_title, registration, status, code) => {
      expectProblem(await complianceOf(registration), status, code);
    });
  });
};

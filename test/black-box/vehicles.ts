import { describe, it } from '@jest/globals';
import type { Api } from './api.ts';
import { expectProblem, expectSuccess } from './expectations.ts';

const FORD = { make: 'Ford', model: 'Fiesta', year: 2012, color: 'Blue' };
const OF_DATE = { errors: [{ parameter: 'date' }] };

/** Lookups of one vehicle, on the sample vehicles. */
export const vehicleTests = (api: () => Api): void => {
  const insuranceOf = (registration: string, query = '') =>
    api().call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance${query}`);
  const complianceOf = (registration: string, query = '') =>
    api().call('GET', `/v1/compliance/${encodeURIComponent(registration)}${query}`);

  describe('Insurance of one vehicle', () => {
    it.each<[string, object]>([
      ['AB12CDE', { insured: true, policy: { insurer: 'Acme Mutual', type: 'Comprehensive' }, vehicle: FORD }],
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
      expectProblem(await insuranceOf('AB12CDE', `?date=${date}`), 400, 'VALIDATION_FAILED', OF_DATE);
    });

    it.each([
      ['unknown vehicle', 'ZZ99ZZZ', 404, 'VEHICLE_NOT_FOUND', { title: 'Not Found' }],
      ['unknown vehicle with O for 0', 'AB1OCDE', 404, 'VEHICLE_NOT_FOUND', { suggestion: 'AB10CDE' }],
      [
        'no valid registration',
        'not_a_plate',
        400,
        'INVALID_REGISTRATION',
        { errors: [{ parameter: 'registration' }] },
      ],
    ] as const)('%s (%s): %d', async (_title, registration, status, code, more) => {
      expectProblem(await insuranceOf(registration), status, code, more);
    });
  });

  describe('Compliance of one vehicle', () => {
    it.each<[string, object]>([
      ['AB12CDE', { compliant: true, reasons: [] }],
      ['RA09SRN', { compliant: false, reasons: ['SORN'], details: { roadTax: { status: 'SORN', paidUntil: null } } }],
      [
        'TC11ALL',
        {
          compliant: false,
          reasons: ['INSURANCE_LAPSED', 'MOT_EXPIRED', 'TAX_EXPIRED', 'FINES_OUTSTANDING'],
          details: {
            insurance: { status: 'LAPSED' },
            mot: { status: 'EXPIRED' },
            roadTax: { status: 'EXPIRED' },
            fines: { status: 'OUTSTANDING', outstanding: 3 },
          },
        },
      ],
    ])('%s: 200', async (registration, body) => {
      expectSuccess(await complianceOf(registration), { registration, ...body });
    });

    it('another day: 400', async () => {
      expectProblem(await complianceOf('AB12CDE', '?date=2020-02-29'), 400, 'VALIDATION_FAILED', OF_DATE);
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

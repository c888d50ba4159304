import { describe, it } from '@jest/globals';
import type { HttpCaller } from '../support/http-caller.ts';
import { expectProblem, expectSuccess } from './expectations.ts';

const FORD = { make: 'Ford', model: 'Fiesta', year: 2012, color: 'Blue' };
const OF_DATE = { errors: [{ parameter: 'date' }] };

/** Lookups of one vehicle, on the sample vehicles. */
export const vehicleTests = (api: () => HttpCaller): void => {
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
    ])('is 200 for %s', async (registration, body) => {
      expectSuccess(await insuranceOf(registration), { registration, ...body });
    });

    it('is 200 with asOf for another day', async () => {
      expectSuccess(await insuranceOf('AB12CDE', '?date=2000-02-29'), { insured: false, asOf: '2000-02-29' });
      expectSuccess(await insuranceOf('KR08NIL', '?date=2099-12-31'), { insured: false, asOf: '2099-12-31' });
    });

    it.each(['2001-02-29', '1899-12-31', 'today', ''])('is 400 for ?date=%s', async (date) => {
      expectProblem(await insuranceOf('AB12CDE', `?date=${date}`), 400, 'VALIDATION_FAILED', OF_DATE);
    });

    it.each([
      [404, 'an unknown vehicle', 'ZZ99ZZZ', 'VEHICLE_NOT_FOUND', { title: 'Not Found' }],
      [404, 'an unknown vehicle with O for 0', 'AB1OCDE', 'VEHICLE_NOT_FOUND', { suggestion: 'AB10CDE' }],
      [400, 'no registration', 'not_a_plate', 'INVALID_REGISTRATION', { errors: [{ parameter: 'registration' }] }],
    ] as const)('is %d for %s: %s', async (status, _what, registration, code, more) => {
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
    ])('is 200 for %s', async (registration, body) => {
      expectSuccess(await complianceOf(registration), { registration, ...body });
    });

    it('is 400 for another day', async () => {
      expectProblem(await complianceOf('AB12CDE', '?date=2020-02-29'), 400, 'VALIDATION_FAILED', OF_DATE);
    });

    it.each([
      [404, 'a vehicle without a compliance record', 'VE24UNK', 'COMPLIANCE_NOT_FOUND'],
      [404, 'an unknown vehicle', 'ZZ99ZZZ', 'VEHICLE_NOT_FOUND'],
      [400, 'no registration', '!', 'INVALID_REGISTRATION'],
    ] as const)('is %d for %s: %s', async (status, _what, registration, code) => {
      expectProblem(await complianceOf(registration), status, code);
    });
  });
};

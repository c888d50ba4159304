import { describe, it } from '@jest/globals';
import type { Api } from './api.ts';
import { expectProblem, expectSuccess } from './expectations.ts';

/** Lookups of one vehicle, on the sample vehicles. */
export const vehicleTests = (api: () => Api): void => {
  const insuranceOf = (registration: string) =>
    api().call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance`);
  const complianceOf = (registration: string) =>
    api().call('GET', `/v1/compliance/${encodeURIComponent(registration)}`);

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

    it.each([
      ['no compliance record', 'VE24UNK', 404, 'COMPLIANCE_NOT_FOUND'],
      ['unknown vehicle', 'ZZ99ZZZ', 404, 'VEHICLE_NOT_FOUND'],
      ['no valid registration', '!', 400, 'INVALID_REGISTRATION'],
    ] as const)('%s (%s): %d', async (_title, registration, status, code) => {
      expectProblem(await complianceOf(registration), status, code);
    });
  });
};

import type { Api } from './api.ts';
import { type Check, refuses, succeeds } from './check.ts';

const lookUp = ({ call }: Api, registration: string) =>
  call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance`);

const compliance = ({ call }: Api, registration: string) =>
  call('GET', `/v1/compliance/${encodeURIComponent(registration)}`);

const finds = (registration: string, body: object): Check => ({
  name: `insurance of ${registration}: 200`,
  run: async (api) => succeeds(await lookUp(api, registration), { registration, ...body }),
});

const judges = (registration: string, body: object): Check => ({
  name: `compliance of ${registration}: 200`,
  run: async (api) => succeeds(await compliance(api, registration), { registration, ...body }),
});

/** The look-ups of one vehicle, on the sample vehicles of the README. */
export const vehicleChecks: readonly Check[] = [
  finds('AB12CDE', {
    insured: true,
    policy: { insurer: 'Acme Mutual', type: 'Comprehensive' },
    vehicle: { make: 'Ford', model: 'Fiesta', year: 2012, color: 'Blue' },
  }),
  finds('ab12 cde', { insured: true }),
  finds('öl-77.ä', { insured: true }),
  finds('DG65OLD', { insured: false, vehicle: { make: 'Nissan' } }),
  finds('KR08NIL', { insured: false, policy: null }),
  {
    name: 'insurance of an unknown vehicle: 404',
    run: async (api) => refuses(await lookUp(api, 'ZZ99ZZZ'), 404, 'VEHICLE_NOT_FOUND', { title: 'Not Found' }),
  },
  {
    name: 'insurance of what can be no registration: 400',
    run: async (api) =>
      refuses(await lookUp(api, 'not_a_plate'), 400, 'INVALID_REGISTRATION', {
        errors: [{ parameter: 'registration' }],
      }),
  },
  judges('AB12CDE', { compliant: true, reasons: [] }),
  judges('TC11ALL', {
    compliant: false,
    reasons: ['INSURANCE_LAPSED', 'MOT_EXPIRED', 'TAX_EXPIRED', 'FINES_OUTSTANDING'],
  }),
  judges('RA09SRN', { compliant: false, reasons: ['SORN'] }),
  {
    name: 'compliance without a record: 404',
    run: async (api) => refuses(await compliance(api, 'VE24UNK'), 404, 'COMPLIANCE_NOT_FOUND'),
  },
  {
    name: 'compliance of an unknown vehicle: 404',
    run: async (api) => refuses(await compliance(api, 'ZZ99ZZZ'), 404, 'VEHICLE_NOT_FOUND'),
  },
  {
    name: 'compliance of what can be no registration: 400',
    run: async (api) => refuses(await compliance(api, '!'), 400, 'INVALID_REGISTRATION'),
  },
];

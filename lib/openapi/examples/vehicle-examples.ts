import { apiError, problems } from '../../../core/problems.ts';
import { type Example, problemExample } from './example.ts';

/** When the sample records last changed. */
export const LAST_UPDATED = '2026-06-14T08:30:00.000Z';

const policyOfFiesta = {
  number: 'POL-1000-1',
  insurer: 'Acme Mutual',
  validFrom: '2025-12-15',
  validTo: '2026-12-14',
  type: 'Comprehensive',
};

const lapsedPolicy = {
  number: 'POL-1003-1',
  insurer: 'Castle & Crown Insurance',
  validFrom: '2025-06-15',
  validTo: '2026-06-14',
  type: 'Comprehensive',
};

/** Errors that both lookups by registration share. */
export const registrationProblems: readonly Example[] = [
  {
    name: 'unknown',
    summary: 'An unknown vehicle',
    request: { path: { registration: 'ZZ99ZZZ' } },
    ...problemExample(apiError('VEHICLE_NOT_FOUND', {})),
  },
  {
    name: 'mistyped',
    summary: 'An unknown vehicle, with the letter O for a zero',
    request: { path: { registration: 'AB1O CDE' } },
    ...problemExample(apiError('VEHICLE_NOT_FOUND', { suggestion: 'AB10CDE' })),
  },
  {
    name: 'invalid',
    summary: 'Text that cannot be a registration',
    request: { path: { registration: 'AB12_CDE' } },
    ...problemExample(apiError('INVALID_REGISTRATION')),
  },
];

/** The insurance lookup. */
export const insuranceExamples: readonly Example[] = [
  {
    name: 'insured',
    summary: 'Insured today',
    request: { path: { registration: 'AB12CDE' } },
    status: 200,
    body: {
      registration: 'AB12CDE',
      insured: true,
      policy: policyOfFiesta,
      vehicle: { make: 'Ford', model: 'Fiesta', year: 2012, color: 'Blue' },
      lastUpdated: LAST_UPDATED,
    },
  },
  {
    name: 'lapsed',
    summary: 'Insured until yesterday, and written with a hyphen',
    request: { path: { registration: 'DG65-OLD' } },
    status: 200,
    body: {
      registration: 'DG65-OLD',
      insured: false,
      policy: lapsedPolicy,
      vehicle: { make: 'Nissan', model: 'Qashqai', year: 2015, color: 'White' },
      lastUpdated: LAST_UPDATED,
    },
  },
  {
    name: 'noPolicy',
    summary: 'A known vehicle without a policy',
    request: { path: { registration: 'KR08NIL' } },
    status: 200,
    body: {
      registration: 'KR08NIL',
      insured: false,
      policy: null,
      vehicle: { make: 'Peugeot', model: '208', year: 2008, color: 'Yellow' },
      lastUpdated: LAST_UPDATED,
    },
  },
  {
    name: 'pastDay',
    summary: 'A past day, on which the vehicle was insured',
    request: { path: { registration: 'DG65OLD' }, query: { date: '2026-06-14' } },
    status: 200,
    body: {
      registration: 'DG65OLD',
      insured: true,
      policy: lapsedPolicy,
      vehicle: { make: 'Nissan', model: 'Qashqai', year: 2015, color: 'White' },
      lastUpdated: LAST_UPDATED,
      asOf: '2026-06-14',
    },
  },
  ...registrationProblems,
  {
    name: 'invalidDate',
    summary: 'A date that does not exist',
    request: { path: { registration: 'AB12CDE' }, query: { date: '2026-02-30' } },
    ...problemExample(
      apiError('VALIDATION_FAILED', {
        issues: [{ parameter: 'date', detail: 'must be a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD' }],
      }),
    ),
  },
];

/** A bulk request that is too large, of either kind. */
export const tooManyRegistrations: Example = {
  name: 'tooMany',
  summary: 'One registration more than the standard plan allows',
  request: { body: { registrations: Array.from({ length: 501 }, () => 'AB12 CDE') } },
  ...problemExample(apiError('BULK_TOO_LARGE', { field: 'registrations', count: 501, limit: 500 })),
};

/** The bulk verification. */
export const bulkExamples: readonly Example[] = [
  {
    name: 'mixed',
    summary: 'Insured, uninsured, unknown and invalid in one request',
    request: { body: { registrations: ['AB12 CDE', 'KR08NIL', 'ZZ99ZZZ', 'not a plate!'] } },
    status: 200,
    body: {
      results: [
        { registration: 'AB12 CDE', insured: true, policy: policyOfFiesta },
        { registration: 'KR08NIL', insured: false, policy: null },
        {
          registration: 'ZZ99ZZZ',
          insured: false,
          error: problems.VEHICLE_NOT_FOUND.detail({}),
          code: 'VEHICLE_NOT_FOUND',
        },
        {
          registration: 'not a plate!',
          insured: false,
          error: problems.INVALID_REGISTRATION.detail,
          code: 'INVALID_REGISTRATION',
        },
      ],
      processed: 4,
      successful: 2,
      failed: 2,
    },
  },
  {
    name: 'renewalDay',
    summary: 'The same question for a day to come',
    request: { body: { registrations: ['AB12 CDE'], date: '2027-01-01' } },
    status: 200,
    body: {
      results: [{ registration: 'AB12 CDE', insured: false, policy: policyOfFiesta }],
      processed: 1,
      successful: 1,
      failed: 0,
      asOf: '2027-01-01',
    },
  },
  {
    name: 'notText',
    summary: 'An entry that is not a string',
    request: { body: { registrations: ['AB12 CDE', 42] } },
    ...problemExample(
      apiError('VALIDATION_FAILED', { issues: [{ pointer: '/registrations/1', detail: 'must be a string' }] }),
    ),
  },
  tooManyRegistrations,
];

import { apiError, problems } from '../../../core/problems.ts';
import { endpoints } from '../../../functions/endpoints/table.ts';
import { EXAMPLE_TIME, type Example, problemExample } from './example.ts';
import { LAST_UPDATED, registrationProblems, tooManyRegistrations } from './vehicle-examples.ts';

const compliantDetails = {
  insurance: { status: 'IN_FORCE', validTo: '2026-12-14', lastUpdated: LAST_UPDATED },
  mot: { status: 'VALID', dueDate: '2026-10-13', lastUpdated: LAST_UPDATED },
  roadTax: { status: 'PAID', paidUntil: '2026-09-13', lastUpdated: LAST_UPDATED },
  fines: { status: 'NONE', outstanding: 0, lastUpdated: LAST_UPDATED },
};

/** The compliance verdict. */
export const complianceExamples: readonly Example[] = [
  {
    name: 'compliant',
    summary: 'All four checks pass',
    request: { path: { registration: 'AB12CDE' } },
    status: 200,
    body: {
      registration: 'AB12CDE',
      compliant: true,
      checks: { insuranceValid: true, motValid: true, roadTaxPaid: true, noOutstandingFines: true },
      reasons: [],
      details: compliantDetails,
      lastChecked: EXAMPLE_TIME,
    },
  },
  {
    name: 'notCompliant',
    summary: 'No check passes, each for its own reason',
    request: { path: { registration: 'TC11ALL' } },
    status: 200,
    body: {
      registration: 'TC11ALL',
      compliant: false,
      checks: { insuranceValid: false, motValid: false, roadTaxPaid: false, noOutstandingFines: false },
      reasons: ['INSURANCE_LAPSED', 'MOT_EXPIRED', 'TAX_EXPIRED', 'FINES_OUTSTANDING'],
      details: {
        insurance: { status: 'LAPSED', validTo: '2025-04-05', lastUpdated: LAST_UPDATED },
        mot: { status: 'EXPIRED', dueDate: '2026-05-16', lastUpdated: LAST_UPDATED },
        roadTax: { status: 'EXPIRED', paidUntil: '2026-04-16', lastUpdated: LAST_UPDATED },
        fines: { status: 'OUTSTANDING', outstanding: 3, lastUpdated: LAST_UPDATED },
      },
      lastChecked: EXAMPLE_TIME,
    },
  },
  {
    name: 'notRecorded',
    summary: 'A known vehicle without a compliance record',
    request: { path: { registration: 'VE24UNK' } },
    ...problemExample(apiError('COMPLIANCE_NOT_FOUND')),
  },
  ...registrationProblems,
  {
    name: 'pastDay',
    summary: 'A verdict is always for today',
    request: { path: { registration: 'AB12CDE' }, query: { date: '2026-06-14' } },
    ...problemExample(
      apiError('VALIDATION_FAILED', {
        issues: [{ parameter: 'date', detail: endpoints.compliance.date.rejected }],
      }),
    ),
  },
];

/** The bulk verdicts. */
export const bulkComplianceExamples: readonly Example[] = [
  {
    name: 'mixed',
    summary: 'Compliant, without a compliance record, unknown and invalid in one request',
    request: { body: { registrations: ['AB12 CDE', 'VE24UNK', 'AB1O CDE', 'not a plate!'] } },
    status: 200,
    body: {
      results: [
        {
          registration: 'AB12 CDE',
          compliant: true,
          checks: { insuranceValid: true, motValid: true, roadTaxPaid: true, noOutstandingFines: true },
          reasons: [],
          details: compliantDetails,
          lastChecked: EXAMPLE_TIME,
        },
        {
          registration: 'VE24UNK',
          compliant: false,
          error: problems.COMPLIANCE_NOT_FOUND.detail,
          code: 'COMPLIANCE_NOT_FOUND',
        },
        {
          registration: 'AB1O CDE',
          compliant: false,
          error: problems.VEHICLE_NOT_FOUND.detail({}),
          code: 'VEHICLE_NOT_FOUND',
          suggestion: 'AB10CDE',
        },
        {
          registration: 'not a plate!',
          compliant: false,
          error: problems.INVALID_REGISTRATION.detail,
          code: 'INVALID_REGISTRATION',
        },
      ],
      processed: 4,
      successful: 1,
      failed: 3,
    },
  },
  tooManyRegistrations,
];

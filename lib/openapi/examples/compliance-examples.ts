import { apiError } from '../../../functions/problems.ts';
import { EXAMPLE_TIME, type Example, problemExample } from './example.ts';
import { registrationProblems } from './vehicle-examples.ts';

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
];

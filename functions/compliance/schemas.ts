/** The shape of a verdict: specification section 2.5, contract.md "Compliance". */
import * as T from 'typebox';
import { openCode } from '../schemas/open-code.ts';
import { REASONS } from './verdict.ts';

export const ComplianceVerdict = T.Object(
  {
    registration: T.String({ description: 'The registration as it was queried' }),
    compliant: T.Boolean({ description: 'Whether all four checks pass' }),
    checks: T.Object({
      insuranceValid: T.Boolean({ description: 'A policy is in force today' }),
      motValid: T.Boolean({ description: 'MOT not past its due date, or exempt' }),
      roadTaxPaid: T.Boolean({ description: 'Taxed today, or exempt; SORN is not paid' }),
      noOutstandingFines: T.Boolean({ description: 'No unpaid fine' }),
    }),
    reasons: T.Array(openCode(REASONS), { description: 'One per failed check, in the order of the checks' }),
    lastChecked: T.String({ format: 'date-time', description: 'The time of the request, UTC' }),
  },
  { title: 'ComplianceVerdict' },
);

/** The shapes of verdicts: docs/contract.md#compliance. */
import * as T from 'typebox';
import { openCode } from '../schemas/open-code.ts';
import { bulkEnvelopeOf, COMPLIANCE_ENTRY_CODES, failedEntry } from '../vehicles/schemas.ts';
import {
  FINES_STATUSES,
  INSURANCE_STATUSES,
  MOT_STATUSES,
  REASONS,
  ROAD_TAX_STATUSES,
  type Verdict,
} from './verdict.ts';

const dateOrNull = (description: string) => T.Union([T.String({ format: 'date' }), T.Null()], { description });

const lastUpdated = T.Union([T.String({ format: 'date-time' }), T.Null()], {
  description: 'When this source last changed, UTC; null when that is not known',
});

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
    details: T.Object(
      {
        insurance: T.Object({
          status: openCode(INSURANCE_STATUSES),
          validTo: dateOrNull('Last day of the policy that answers; null without one'),
          lastUpdated,
        }),
        mot: T.Object({
          status: openCode(MOT_STATUSES),
          dueDate: dateOrNull('Last day on which the MOT is valid; null when exempt'),
          lastUpdated,
        }),
        roadTax: T.Object({
          status: openCode(ROAD_TAX_STATUSES),
          paidUntil: dateOrNull('Last day that is paid for; null when exempt or SORN'),
          lastUpdated,
        }),
        fines: T.Object({
          status: openCode(FINES_STATUSES),
          outstanding: T.Integer({ description: 'Number of unpaid fines' }),
          lastUpdated,
        }),
      },
      { description: 'What the verdict follows from: status, date and age of each source' },
    ),
    lastChecked: T.String({ format: 'date-time', description: 'The time of the request, UTC' }),
  },
  { title: 'ComplianceVerdict' },
);

const BulkComplianceFailure = T.Object(
  { ...failedEntry(COMPLIANCE_ENTRY_CODES), compliant: T.Literal(false) },
  { title: 'BulkComplianceFailure', description: 'A registration without a verdict: unknown, invalid or not read' },
);

export const BulkComplianceResult = T.Object(bulkEnvelopeOf(T.Union([ComplianceVerdict, BulkComplianceFailure])), {
  title: 'BulkComplianceResult',
});

/** The single answer's body, or why there is none. */
export type BulkComplianceEntry =
  | (Verdict & Pick<T.Static<typeof ComplianceVerdict>, 'registration' | 'lastChecked'>)
  | T.Static<typeof BulkComplianceFailure>;

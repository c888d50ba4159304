import * as T from 'typebox';
import type { ComplianceAnswer, Reason } from '../../../core/compliance/verdict.ts';
import {
  type EndpointDocument,
  example,
  openCode,
  REGISTRATION_RULE,
  referenceHeader,
  registrationAsSent,
  registrationExamples,
  registrationPath,
  schemaOf,
} from '../document.ts';
import { INSURANCE_MEANINGS } from '../vehicle-insurance/document.ts';

const dateOrNull = (description: string) => T.Union([T.String({ format: 'date' }), T.Null()], { description });

type StatusOf<Source extends keyof ComplianceAnswer['details']> = ComplianceAnswer['details'][Source]['status'];

const UNKNOWN = 'no source has said anything about it';
const NOT_CHECKED = 'the service leaves this check out';

const lastUpdated = T.Union([T.String({ format: 'date-time' }), T.Null()], {
  description: 'When this source last changed, UTC; null when that is not known',
});

export const ComplianceVerdict = schemaOf<ComplianceAnswer>()(
  T.Object(
    {
      registration: registrationAsSent,
      compliant: T.Boolean({
        description: 'Whether all checks that count pass; in a bulk entry with `code` it is false and no answer',
      }),
      checks: T.Object({
        insuranceValid: T.Boolean({ description: 'A policy is in force today; false when not checked' }),
        motValid: T.Boolean({ description: 'MOT not past its due date, or exempt; false when unknown or not checked' }),
        roadTaxPaid: T.Boolean({
          description: 'Taxed today, or exempt; SORN is not paid; false when unknown or not checked',
        }),
        noOutstandingFines: T.Boolean({ description: 'No unpaid fine; false when unknown or not checked' }),
      }),
      reasons: T.Array(
        openCode<Reason>({
          NO_POLICY: 'there is no policy at all',
          INSURANCE_LAPSED: 'the last policy has ended',
          INSURANCE_NOT_STARTED: 'the first policy has not begun',
          MOT_EXPIRED: 'the MOT is past its due date',
          MOT_UNKNOWN: 'no source has said anything about the MOT',
          TAX_EXPIRED: 'the tax was paid until a day in the past',
          SORN: 'declared off the road',
          TAX_UNKNOWN: 'no source has said anything about the tax',
          FINES_OUTSTANDING: 'at least one fine is unpaid',
          FINES_UNKNOWN: 'no source has said anything about fines',
        }),
        { description: 'One per failed check that counts, in the order of the checks' },
      ),
      details: T.Object(
        {
          insurance: T.Object({
            status: openCode<StatusOf<'insurance'>>({ ...INSURANCE_MEANINGS, NOT_CHECKED }),
            validTo: dateOrNull('Last day of the policy that answers; null without one'),
            lastUpdated,
          }),
          mot: T.Object({
            status: openCode<StatusOf<'mot'>>({
              VALID: 'not past its due date',
              EXPIRED: 'past its due date',
              EXEMPT: 'the vehicle needs no MOT',
              UNKNOWN,
              NOT_CHECKED,
            }),
            dueDate: dateOrNull('Last day on which the MOT is valid; null when exempt, unknown or not checked'),
            lastUpdated,
          }),
          roadTax: T.Object({
            status: openCode<StatusOf<'roadTax'>>({
              PAID: 'paid for today',
              EXPIRED: 'paid until a day in the past',
              EXEMPT: 'the vehicle needs no tax',
              SORN: 'declared off the road',
              UNKNOWN,
              NOT_CHECKED,
            }),
            paidUntil: dateOrNull('Last day that is paid for; null when exempt, SORN, unknown or not checked'),
            lastUpdated,
          }),
          fines: T.Object({
            status: openCode<StatusOf<'fines'>>({
              NONE: 'none is unpaid',
              OUTSTANDING: 'at least one is unpaid',
              UNKNOWN,
              NOT_CHECKED,
            }),
            outstanding: T.Union([T.Integer(), T.Null()], {
              description: 'Number of unpaid fines; null when unknown or not checked',
            }),
            lastUpdated,
          }),
        },
        { description: 'What the verdict follows from: status, date and age of each source' },
      ),
      lastChecked: T.String({ format: 'date-time', description: 'The time of the request, UTC' }),
    },
    { title: 'ComplianceVerdict' },
  ),
);

export const document: EndpointDocument = {
  operationId: 'getCompliance',
  description: `Derived at the time of the request from insurance, MOT, road tax and fines; \`compliant\` is true when all checks pass, otherwise \`reasons\` has one code per failed check. A verdict is never guessed: what no source has supplied is \`UNKNOWN\` and fails its check, and a vehicle of which neither MOT nor tax nor fines are stored is 404. The operator may leave checks out: they are \`NOT_CHECKED\` and false, and \`compliant\` and \`reasons\` follow from the others. \`details\` has the status, date and age of each source, to plan a renewal and to judge how old the facts are. A verdict is always for today: \`date\` is rejected, because MOT, tax and fines have no history. ${REGISTRATION_RULE}`,
  path: registrationPath,
  headers: referenceHeader,
  response: ComplianceVerdict,
  success: 'The verdict, its four checks, the reasons for those that fail, and the facts behind it',
  examples: [
    example('compliant', 'All four checks pass', { path: { registration: 'AB12CDE' } }),
    example('notCompliant', 'No check passes, each for its own reason', { path: { registration: 'TC11ALL' } }),
    example('notSupplied', 'A vehicle whose MOT no source has supplied', { path: { registration: 'CR17NOM' } }),
    example('notRecorded', 'A known vehicle without a compliance record', { path: { registration: 'VE24UNK' } }),
    ...registrationExamples,
    example('pastDay', 'A verdict is always for today', {
      path: { registration: 'AB12CDE' },
      query: { date: '2026-06-14' },
    }),
  ],
};

import * as T from 'typebox';
import type { bulkInsuranceAnswer } from '../../../core/bulk.ts';
import { bulkEnvelopeSchema, ENTRY_MEANINGS, failedEntry, tooManyRegistrations } from '../bulk-document.ts';
import {
  BODY_RULE,
  BULK_SIZE_RULE,
  type EndpointDocument,
  example,
  PAST_DAY_RULE,
  referenceHeader,
  registrationAsSent,
  STATUS_RULE,
  schemaOf,
} from '../document.ts';
import { asOf, insuranceStatus, policyOrNull } from '../vehicle-insurance/document.ts';
import { input } from './input.ts';

const BulkSuccess = T.Object(
  {
    registration: registrationAsSent,
    insured: T.Boolean({
      description: 'Whether a policy is in force; in a bulk entry with `code` it is false and no answer',
    }),
    status: insuranceStatus,
    policy: T.Optional(policyOrNull),
  },
  { title: 'BulkSuccess', description: 'A vehicle that is known, insured or not' },
);

const BulkFailure = T.Object(
  { ...failedEntry(ENTRY_MEANINGS), insured: T.Literal(false) },
  { title: 'BulkFailure', description: 'A registration that is unknown, invalid or could not be read' },
);

const BulkResult = schemaOf<ReturnType<typeof bulkInsuranceAnswer>>()(
  T.Object({ ...bulkEnvelopeSchema('BulkEntry', BulkSuccess, BulkFailure), asOf }, { title: 'BulkResult' }),
);

export const document: EndpointDocument = {
  operationId: 'checkInsurance',
  description: `One result per entry, in order, duplicates included; an entry that fails does not fail the request. ${BULK_SIZE_RULE} A bulk request counts as one request. An entry with \`LOOKUP_UNAVAILABLE\` could not be read: request it again, the vehicle may exist. With \`date\`, every entry is for that day. ${PAST_DAY_RULE} ${STATUS_RULE} ${BODY_RULE}`,
  ...input.schemas,
  headers: referenceHeader,
  response: BulkResult,
  success: 'One result per submitted registration, in order, and how many have an answer',
  examples: [
    example('mixed', 'Insured, uninsured, unknown and invalid in one request', {
      body: { registrations: ['AB12 CDE', 'KR08NIL', 'ZZ99ZZZ', 'not a plate!'] },
    }),
    example('renewalDay', 'The same question for a day to come', {
      body: { registrations: ['AB12 CDE'], date: '2027-01-01' },
    }),
    example('notText', 'An entry that is not a string', { body: { registrations: ['AB12 CDE', 42] } }),
    tooManyRegistrations,
  ],
};

import * as T from 'typebox';
import type { bulkComplianceAnswer } from '../../../core/bulk.ts';
import { bulkEnvelopeSchema, ENTRY_MEANINGS, failedEntry, tooManyRegistrations } from '../bulk-document.ts';
import { ComplianceVerdict } from '../compliance/document.ts';
import { BODY_RULE, BULK_SIZE_RULE, type EndpointDocument, example, referenceHeader, schemaOf } from '../document.ts';
import { input } from './input.ts';

const BulkComplianceFailure = T.Object(
  {
    ...failedEntry({ ...ENTRY_MEANINGS, COMPLIANCE_NOT_FOUND: 'the vehicle is known, but has no compliance record' }),
    compliant: T.Literal(false),
  },
  { title: 'BulkComplianceFailure', description: 'A registration without a verdict: unknown, invalid or not read' },
);

const BulkComplianceResult = schemaOf<ReturnType<typeof bulkComplianceAnswer>>()(
  T.Object(bulkEnvelopeSchema('BulkComplianceEntry', ComplianceVerdict, BulkComplianceFailure), {
    title: 'BulkComplianceResult',
  }),
);

export const document: EndpointDocument = {
  operationId: 'checkCompliance',
  description: `One result per entry, in order, duplicates included: the body of the single lookup, or why there is none. ${BULK_SIZE_RULE} A bulk request counts as one request. An entry with \`LOOKUP_UNAVAILABLE\` could not be read: request it again, it is no verdict. ${BODY_RULE}`,
  ...input.schemas,
  headers: referenceHeader,
  response: BulkComplianceResult,
  success: 'One result per submitted registration, in order, and how many have a verdict',
  examples: [
    example('mixed', 'Compliant, without a compliance record, unknown and invalid in one request', {
      body: { registrations: ['AB12 CDE', 'VE24UNK', 'AB1O CDE', 'not a plate!'] },
    }),
    tooManyRegistrations,
  ],
};

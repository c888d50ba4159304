import type { EndpointId } from '../../../functions/endpoints.ts';
import { complianceExamples } from './compliance-examples.ts';
import { createExamples, deleteExamples, updateExamples } from './content-change-examples.ts';
import { listExamples, readExamples } from './content-examples.ts';
import { type Example, refusal } from './example.ts';
import { bulkExamples, insuranceExamples } from './vehicle-examples.ts';

/** Examples of every endpoint; sent one after the other, in this order, to a service with fresh sample data. */
export const examples: Readonly<Record<EndpointId, readonly Example[]>> = {
  'vehicle-insurance': insuranceExamples,
  'bulk-insurance': bulkExamples,
  compliance: complianceExamples,
  'list-content': listExamples,
  'create-content': createExamples,
  'read-content': readExamples,
  'update-content': updateExamples,
  'delete-content': deleteExamples,
};

/** What every endpoint can refuse with; the scope named is that of the insurance look-up. */
export const commonRefusals = {
  UNAUTHORIZED: refusal('UNAUTHORIZED', 'Send a valid API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".'),
  SCOPE_MISSING: refusal('SCOPE_MISSING', 'This API key lacks the scope vehicles:read.'),
  RATE_LIMITED: refusal('RATE_LIMITED', 'The plan allows 60 requests a minute; try again in 50 s.'),
  INTERNAL_ERROR: refusal('INTERNAL_ERROR', 'The service could not answer; try again in a moment.'),
} as const;

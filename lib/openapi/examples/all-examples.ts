import { apiError } from '../../../core/problems.ts';
import type { EndpointId } from '../../../functions/endpoints/table.ts';
import { bulkComplianceExamples, complianceExamples } from './compliance-examples.ts';
import { createExamples, deleteExamples, updateExamples } from './content-change-examples.ts';
import { listExamples, readExamples } from './content-examples.ts';
import { type Example, problemExample } from './example.ts';
import { usageExamples } from './usage-examples.ts';
import { bulkExamples, insuranceExamples } from './vehicle-examples.ts';

/** Examples of every endpoint; sent one after the other, in this order, to a service with fresh sample data. */
export const examples: Readonly<Record<EndpointId, readonly Example[]>> = {
  'vehicle-insurance': insuranceExamples,
  'bulk-insurance': bulkExamples,
  compliance: complianceExamples,
  'bulk-compliance': bulkComplianceExamples,
  'list-content': listExamples,
  'create-content': createExamples,
  'read-content': readExamples,
  'update-content': updateExamples,
  'delete-content': deleteExamples,
  usage: usageExamples,
};

/** The errors that every endpoint shares; scope and limit are those of the insurance lookup with the free plan. */
export const commonProblems = {
  UNAUTHORIZED: problemExample(apiError('UNAUTHORIZED')),
  SCOPE_MISSING: problemExample(apiError('SCOPE_MISSING', { scope: 'vehicles:read' })),
  RATE_LIMITED: problemExample(apiError('RATE_LIMITED', { limit: 60, retryAfterSeconds: 50 })),
  INTERNAL_ERROR: problemExample(apiError('INTERNAL_ERROR')),
} as const;

import { verifyBulkCompliance } from '../../core/compliance/bulk.ts';
import { complianceSource } from '../../core/sandbox/lookup-sources.ts';
import { bulkKeys, isExpensiveBulk } from '../../core/vehicles/bulk.ts';
import { lookup } from '../http/lookup.ts';

/** May these vehicles be on the road? docs/contract.md#compliance */
export const handler = lookup('bulk-compliance', ({ db, tables }) => {
  const records = complianceSource(db, tables);
  return {
    load: async (request) => {
      const { keys, distinct } = bulkKeys(request.body.registrations);
      return { keys, sources: await records(request).findManyWithVehicles(distinct, request.deadline) };
    },
    isExpensive: ({ body: { registrations } }) => isExpensiveBulk(registrations),
    respond: ({ keys, sources }, { body: { registrations }, now }) => ({
      body: verifyBulkCompliance(registrations, keys, sources, now),
      failure: sources.failure,
    }),
  };
});

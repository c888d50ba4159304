import { verifyBulkCompliance } from '../compliance/bulk.ts';
import { complianceTable } from '../compliance/compliance-table.ts';
import { lookup } from '../middleware/lookup.ts';
import { bulkKeys, isExpensiveBulk } from '../vehicles/bulk.ts';

/** May these vehicles be on the road? contract.md "Compliance". */
export const handler = lookup('bulk-compliance', ({ db, tables }) => {
  const records = complianceTable(db, tables);
  return {
    load: async ({ body: { registrations }, deadline }) => {
      const { keys, distinct } = bulkKeys(registrations);
      return { keys, sources: await records.findManyWithVehicles(distinct, deadline) };
    },
    isExpensive: ({ body: { registrations } }) => isExpensiveBulk(registrations),
    respond: ({ keys, sources }, { body: { registrations }, now }) => ({
      body: verifyBulkCompliance(registrations, keys, sources, now),
      failure: sources.failure,
    }),
  };
});

import { bulkComplianceAnswer } from '../../../core/bulk/compliance.ts';
import { bulkKeys, isExpensiveBulk } from '../../../core/bulk/entries.ts';
import { complianceSource } from '../../../core/sandbox/lookup-sources.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

/** May these vehicles be on the road? docs/contract.md#compliance */
export const handler = serve({ endpoint, input }, ({ db, tables }) => {
  const records = complianceSource(db, tables);
  return {
    load: async (request) => {
      const { keys, distinct } = bulkKeys(request.body.registrations);
      return { keys, sources: await records(request).findManyWithVehicles(distinct, request.deadline) };
    },
    isExpensive: ({ body }) => isExpensiveBulk(body.registrations),
    respond: ({ body: { registrations }, now }, { keys, sources }) => ({
      body: bulkComplianceAnswer(registrations, keys, sources, now),
      failure: sources.failure,
    }),
  };
});

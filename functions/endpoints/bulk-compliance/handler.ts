import { bulkComplianceAnswer } from '../../../core/bulk/bulk-compliance.ts';
import { bulkKeys } from '../../../core/bulk/bulk-entries.ts';
import { complianceSource } from '../../../core/sandbox/lookup-sources.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

/** May these vehicles be on the road? docs/contract.md#compliance */
export const handler = serve({ endpoint, input }, ({ db, tables }) => {
  const records = complianceSource(db, tables);
  return {
    respond: async (request) => {
      const { registrations } = request.body;
      const { keys, distinct } = bulkKeys(registrations);
      const sources = await records(request).findManyWithVehicles(distinct, request.deadline);
      return { body: bulkComplianceAnswer(registrations, keys, sources, request.now), failure: sources.failure };
    },
  };
});

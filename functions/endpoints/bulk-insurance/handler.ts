import { bulkKeys } from '../../../core/bulk/bulk-entries.ts';
import { bulkInsuranceAnswer } from '../../../core/bulk/bulk-insurance.ts';
import { londonDate } from '../../../core/runtime/clock.ts';
import { vehicleSource } from '../../../core/sandbox/lookup-sources.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

/** Are these vehicles insured? docs/contract.md#bulk */
export const handler = serve({ endpoint, input }, ({ db, tables }) => {
  const vehicles = vehicleSource(db, tables.vehicles);
  return {
    respond: async (request) => {
      const { registrations, date } = request.body;
      const { keys, distinct } = bulkKeys(registrations);
      const records = await vehicles(request).findMany(distinct, request.deadline);
      return {
        body: bulkInsuranceAnswer(registrations, keys, records, londonDate(request.now), date),
        failure: records.failure,
      };
    },
  };
});

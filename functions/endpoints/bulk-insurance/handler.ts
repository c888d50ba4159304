import { bulkKeys, isExpensiveBulk } from '../../../core/bulk/entries.ts';
import { bulkInsuranceAnswer } from '../../../core/bulk/insurance.ts';
import { londonDate } from '../../../core/runtime/clock.ts';
import { vehicleSource } from '../../../core/sandbox/lookup-sources.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

/** Are these vehicles insured? docs/contract.md#bulk */
export const handler = serve({ endpoint, input }, ({ db, tables }) => {
  const vehicles = vehicleSource(db, tables.vehicles);
  return {
    load: async (request) => {
      const { keys, distinct } = bulkKeys(request.body.registrations);
      return { keys, records: await vehicles(request).findMany(distinct, request.deadline) };
    },
    isExpensive: ({ body }) => isExpensiveBulk(body.registrations),
    respond: ({ body: { registrations, date }, now }, { keys, records }) => ({
      body: bulkInsuranceAnswer(registrations, keys, records, londonDate(now), date),
      failure: records.failure,
    }),
  };
});

import { londonDate } from '../../core/runtime/clock.ts';
import { vehicleSource } from '../../core/sandbox/lookup-sources.ts';
import { bulkKeys, isExpensiveBulk, verifyBulk } from '../../core/vehicles/bulk.ts';
import { lookup } from '../http/lookup.ts';

/** Are these vehicles insured? docs/contract.md#bulk */
export const handler = lookup('bulk-insurance', ({ db, tables }) => {
  const vehicles = vehicleSource(db, tables.vehicles);
  return {
    load: async (request) => {
      const { keys, distinct } = bulkKeys(request.body.registrations);
      return { keys, records: await vehicles(request).findMany(distinct, request.deadline) };
    },
    isExpensive: ({ body: { registrations } }) => isExpensiveBulk(registrations),
    respond: ({ keys, records }, { body: { registrations, date }, now }) => {
      const today = londonDate(now);
      const verified = verifyBulk(registrations, keys, records, { today, asOf: date ?? today });
      return { body: { ...verified, ...(date && { asOf: date }) }, failure: records.failure };
    },
  };
});

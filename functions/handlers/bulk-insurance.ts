import { lookup } from '../middleware/lookup.ts';
import { londonDate } from '../runtime/clock.ts';
import { bulkKeys, isExpensiveBulk, verifyBulk } from '../vehicles/bulk.ts';
import { vehiclesTable } from '../vehicles/vehicles-table.ts';

/** Are these vehicles insured? Specification section 4.2. */
export const handler = lookup('bulk-insurance', ({ db, tables }) => {
  const vehicles = vehiclesTable(db, tables.vehicles);
  return {
    load: async ({ body: { registrations }, deadline }) => {
      const { keys, distinct } = bulkKeys(registrations);
      return { keys, records: await vehicles.findMany(distinct, deadline) };
    },
    isExpensive: ({ body: { registrations } }) => isExpensiveBulk(registrations),
    respond: ({ keys, records }, { body: { registrations, date }, now }) => {
      const today = londonDate(now);
      const verified = verifyBulk(registrations, keys, records, { today, asOf: date ?? today });
      return { body: { ...verified, ...(date && { asOf: date }) }, failure: records.failure };
    },
  };
});

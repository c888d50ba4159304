import { LARGEST_BULK_SIZE } from './access/plans.ts';
import { lookup } from './middleware/endpoint.ts';
import { validatedInput } from './middleware/validated-input.ts';
import { MAX_KEYS } from './runtime/batch-get.ts';
import { londonDate } from './runtime/clock.ts';
import { bulkKeys, requireBulkSize, verifyBulk } from './vehicles/bulk.ts';
import { vehiclesTable } from './vehicles/vehicles-table.ts';

/** Are these vehicles insured? Specification section 4.2. */
export const handler = lookup('bulk-insurance', validatedInput, ({ db, tables }) => {
  const vehicles = vehiclesTable(db, tables.vehicles);
  return {
    load: async ({ body: { registrations }, deadline }) => {
      // What no plan allows is refused without reading anything.
      const { keys, distinct } = bulkKeys(registrations.length > LARGEST_BULK_SIZE ? [] : registrations);
      return { keys, policies: await vehicles.findPolicies(distinct, deadline) };
    },
    readsMuch: ({ body: { registrations } }) => registrations.length > MAX_KEYS,
    respond: ({ keys, policies }, { body: { registrations }, caller, now }) => {
      requireBulkSize(registrations.length, caller.plan.bulkSize);
      return { body: verifyBulk(registrations, keys, policies, londonDate(now)), failure: policies.failure };
    },
  };
});

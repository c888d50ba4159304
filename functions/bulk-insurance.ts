import { LARGEST_BULK_SIZE } from './access/plans.ts';
import { lookup } from './middleware/endpoint.ts';
import { validatedInput } from './middleware/validated-input.ts';
import { londonDate } from './runtime/clock.ts';
import { distinctRegistrations, requireBulkSize, verifyBulk } from './vehicles/bulk.ts';
import { vehiclesTable } from './vehicles/vehicles-table.ts';

/** Are these vehicles insured? Specification section 4.2. */
export const handler = lookup('bulk-insurance', validatedInput, ({ db, tables }) => {
  const vehicles = vehiclesTable(db, tables.vehicles);
  return {
    load: ({ body: { registrations }, deadline }) =>
      // What no plan allows is refused without reading anything.
      vehicles.findMany(registrations.length > LARGEST_BULK_SIZE ? [] : distinctRegistrations(registrations), deadline),
    respond: (found, { body: { registrations }, caller, now }) => {
      requireBulkSize(registrations.length, caller.plan.bulkSize);
      return { body: verifyBulk(registrations, found, londonDate(now)) };
    },
  };
});

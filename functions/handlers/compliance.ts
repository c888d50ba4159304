import { ComplianceNotFound } from '../compliance/compliance-not-found.ts';
import { complianceTable } from '../compliance/compliance-table.ts';
import { verdictOn } from '../compliance/verdict.ts';
import { lookup } from '../middleware/endpoint.ts';
import { londonDate } from '../runtime/clock.ts';
import { requireRegistration } from '../vehicles/registration.ts';
import { VehicleNotFound } from '../vehicles/vehicle-not-found.ts';

/** May this vehicle be on the road? Specification section 4.3. */
export const handler = lookup('compliance', ({ db, tables }) => {
  const records = complianceTable(db, tables);
  return {
    load: async ({ parameters, deadline }) =>
      records.findWithVehicle(requireRegistration(parameters.registration), deadline),
    respond: ({ vehicle, compliance }, { parameters, now }) => {
      if (vehicle === undefined) throw new VehicleNotFound();
      if (compliance === undefined) throw new ComplianceNotFound();
      return {
        body: {
          registration: parameters.registration,
          ...verdictOn(londonDate(now), vehicle.policies, compliance),
          lastChecked: now.toISOString(),
        },
      };
    },
  };
});

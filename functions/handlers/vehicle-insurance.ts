import { londonDate } from '../../core/runtime/clock.ts';
import { vehicleSource } from '../../core/sandbox/lookup-sources.ts';
import { insuranceOn, isInsured } from '../../core/vehicles/insurance.ts';
import { requireRegistration } from '../../core/vehicles/registration.ts';
import { vehicleNotFound } from '../../core/vehicles/suggestion.ts';
import { lookup } from '../http/lookup.ts';

/** Is this vehicle insured? docs/contract.md#vehicle-insurance */
export const handler = lookup('vehicle-insurance', ({ db, tables }) => {
  const vehicles = vehicleSource(db, tables.vehicles);
  return {
    load: async (request) => vehicles(request).find(requireRegistration(request.parameters.registration)),
    respond: (record, { parameters, date, now }) => {
      const today = londonDate(now);
      if (record === undefined) throw vehicleNotFound(parameters.registration, today);
      const insurance = insuranceOn(date ?? today, record.policies);
      return {
        body: {
          registration: parameters.registration,
          insured: isInsured(insurance),
          policy: insurance.policy,
          vehicle: record.vehicle,
          lastUpdated: record.lastUpdated,
          ...(date && { asOf: date }),
        },
      };
    },
  };
});

import { verdictOn } from '../compliance/verdict.ts';
import { lookup } from '../middleware/lookup.ts';
import { apiError } from '../problems.ts';
import { londonDate } from '../runtime/clock.ts';
import { complianceSource } from '../sandbox/lookup-sources.ts';
import { requireRegistration } from '../vehicles/registration.ts';
import { vehicleNotFound } from '../vehicles/suggestion.ts';

/** May this vehicle be on the road? Specification section 4.3. */
export const handler = lookup('compliance', ({ db, tables }) => {
  const records = complianceSource(db, tables);
  return {
    load: async (request) =>
      records(request).findWithVehicle(requireRegistration(request.parameters.registration), request.deadline),
    respond: ({ vehicle, compliance }, { parameters, now }) => {
      const today = londonDate(now);
      if (vehicle === undefined) throw vehicleNotFound(parameters.registration, today);
      if (compliance === undefined) throw apiError('COMPLIANCE_NOT_FOUND');
      return {
        body: {
          registration: parameters.registration,
          ...verdictOn(today, vehicle, compliance),
          lastChecked: now.toISOString(),
        },
      };
    },
  };
});

import { verdictOn } from '../../core/compliance/verdict.ts';
import { apiError } from '../../core/problems.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { complianceSource } from '../../core/sandbox/lookup-sources.ts';
import { requireRegistration } from '../../core/vehicles/registration.ts';
import { vehicleNotFound } from '../../core/vehicles/suggestion.ts';
import { lookup } from '../http/lookup.ts';

/** May this vehicle be on the road? docs/contract.md#compliance */
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

import { complianceAnswer } from '../../../core/compliance/verdict.ts';
import { complianceSource } from '../../../core/sandbox/lookup-sources.ts';
import { registrationError, requireRegistration } from '../../../core/vehicles/registration.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';

/** May this vehicle be on the road? docs/contract.md#compliance */
export const handler = serve({ endpoint, pathError: registrationError }, ({ db, tables }) => {
  const records = complianceSource(db, tables);
  return {
    load: async (request) =>
      records(request).findWithVehicle(requireRegistration(request.parameters.registration), request.deadline),
    respond: ({ parameters: { registration }, now }, found) => ({ body: complianceAnswer(registration, found, now) }),
  };
});

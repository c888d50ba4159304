import { londonDate } from '../../../core/runtime/clock.ts';
import { vehicleSource } from '../../../core/sandbox/lookup-sources.ts';
import { insuranceAnswer } from '../../../core/vehicles/insurance.ts';
import { registrationError, requireRegistration } from '../../../core/vehicles/registration.ts';
import { serve } from '../../http/serve.ts';
import { endpoint } from './endpoint.ts';

/** Is this vehicle insured? docs/contract.md#vehicle-insurance */
export const handler = serve({ endpoint, pathError: registrationError }, ({ db, tables }) => {
  const vehicles = vehicleSource(db, tables.vehicles);
  return {
    load: async (request) => vehicles(request).find(requireRegistration(request.parameters.registration)),
    respond: ({ parameters: { registration }, date, now }, record) => ({
      body: insuranceAnswer(registration, record, londonDate(now), date),
    }),
  };
});

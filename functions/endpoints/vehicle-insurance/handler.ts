import { lookUpInsurance } from '../../../core/lookup.ts';
import { type VehicleData, vehicleData } from '../../../core/sandbox/lookup-sources.ts';
import { type RegistrationInPath, registrationInPath } from '../../../core/vehicles/registration.ts';
import { apiChain } from '../../http/api-chain.ts';
import { auth, preload } from '../../http/auth.ts';
import { dataset } from '../../http/dataset.ts';
import { jsonResponse } from '../../http/json-response.ts';
import { pathParameters, validation } from '../../http/validation.ts';
import { dateInput } from './date-input.ts';
import { endpoint } from './endpoint.ts';

export const handler = apiChain(endpoint)
  .use(dataset(endpoint, vehicleData))
  .use(pathParameters(registrationInPath))
  .use(preload(({ vehicles, registration }: VehicleData & RegistrationInPath) => vehicles.find(registration.key)))
  .use(auth(endpoint))
  .use(validation(dateInput))
  .handler(async (_event, { registration, input: { date }, preloaded, today }) => {
    return jsonResponse(endpoint.successStatus, lookUpInsurance(registration, await preloaded, today, date));
  });

import { lookUpInsurance } from '../../../core/lookup.ts';
import type { LondonDate } from '../../../core/runtime/clock.ts';
import { type VehicleData, vehicleData } from '../../../core/sandbox/lookup-sources.ts';
import { insuranceStatus } from '../../../core/vehicles/insurance.ts';
import { type RegistrationInPath, registrationInPath } from '../../../core/vehicles/registration.ts';
import { apiChain } from '../../http/api-chain.ts';
import { answerScope, auth, preload } from '../../http/auth.ts';
import { dataset } from '../../http/dataset.ts';
import { jsonResponse } from '../../http/json-response.ts';
import { lookupLog } from '../../http/lookup-log.ts';
import { reference, withReference } from '../../http/reference.ts';
import { sources } from '../../http/sources.ts';
import { pathParameters, validation } from '../../http/validation.ts';
import { dateInput } from './date-input.ts';
import { endpoint } from './endpoint.ts';

export const handler = apiChain(endpoint)
  .use(dataset(endpoint, vehicleData))
  .use(pathParameters(registrationInPath))
  .use(preload(({ vehicles, registration }: VehicleData & RegistrationInPath) => vehicles.find(registration.key)))
  .use(sources(endpoint))
  .use(auth(endpoint))
  .use(validation(withReference(dateInput)))
  .use(reference())
  .use(answerScope(({ date }: { readonly date?: LondonDate }) => date))
  .use(lookupLog())
  .handler(async (_event, context) => {
    const { registration, input, preloaded, today, isWholeAnswer, findSources, lookedUp } = context;
    const { date } = input;
    const vehicle = await preloaded;
    const found = date === undefined ? await findSources() : undefined;
    const answer = lookUpInsurance(registration, vehicle, { today, asOf: date, sources: found });
    lookedUp.results = [answer];
    lookedUp.asOf = date;
    return jsonResponse(endpoint.successStatus, isWholeAnswer ? answer : insuranceStatus(answer));
  });

import { vehicleNotFound } from '../../../core/problems.ts';
import { vehicleData } from '../../../core/sandbox/lookup-sources.ts';
import { insuranceAnswer } from '../../../core/vehicles/insurance.ts';
import { registrationInPath } from '../../../core/vehicles/registration.ts';
import { suggestionFor } from '../../../core/vehicles/suggestion.ts';
import { serveLookup } from '../../http/stack.ts';
import { dateInput } from './date-input.ts';
import { endpoint } from './endpoint.ts';

export const handler = serveLookup(
  {
    endpoint,
    data: vehicleData,
    path: registrationInPath,
    input: dateInput,
    load: ({ vehicles, registration }) => vehicles.find(registration.key),
  },
  async ({ registration, input: { date }, today }, record) => {
    if (record === undefined) throw vehicleNotFound(suggestionFor(registration.key, today));
    return { body: insuranceAnswer(registration.sent, record, today, date) };
  },
);

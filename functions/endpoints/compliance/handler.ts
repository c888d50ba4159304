import { complianceAnswer } from '../../../core/compliance/verdict.ts';
import { complianceNotFound, vehicleNotFound } from '../../../core/problems.ts';
import { complianceData } from '../../../core/sandbox/lookup-sources.ts';
import { registrationInPath } from '../../../core/vehicles/registration.ts';
import { suggestionFor } from '../../../core/vehicles/suggestion.ts';
import { serveLookup } from '../../http/stack.ts';
import { noInput } from '../../http/validation.ts';
import { endpoint } from './endpoint.ts';

export const handler = serveLookup(
  {
    endpoint,
    data: complianceData,
    path: registrationInPath,
    input: noInput,
    load: ({ compliance, registration, deadline }) => compliance.findWithVehicle(registration.key, deadline),
  },
  async ({ registration, now, today }, { vehicle, compliance }) => {
    if (vehicle === undefined) throw vehicleNotFound(suggestionFor(registration.key, today));
    if (compliance === undefined) throw complianceNotFound();
    return { body: complianceAnswer(registration.sent, vehicle, compliance, now, today) };
  },
);

import * as T from 'typebox';
import type { InsuranceAnswer } from '../../../core/vehicles/insurance.ts';
import { Policy, VehicleDetails, VehicleRecord } from '../../../core/vehicles/vehicle-record.ts';
import {
  type EndpointDocument,
  example,
  PAST_DAY_RULE,
  REGISTRATION_RULE,
  registrationAsSent,
  registrationExamples,
  registrationPath,
  schemaOf,
} from '../document.ts';

export const policyOrNull = T.Union([Policy, T.Null()], { description: 'null when the vehicle has no policy at all' });

export const asOf = T.Optional(
  T.String({ format: 'date', description: 'The day that was asked for; absent when the answer is for today' }),
);

const VehicleInsurance = schemaOf<InsuranceAnswer>()(
  T.Object(
    {
      registration: registrationAsSent,
      insured: T.Boolean({ description: 'Whether a policy is in force today, or on the day in `asOf`, Europe/London' }),
      policy: policyOrNull,
      vehicle: VehicleDetails,
      lastUpdated: VehicleRecord.properties.lastUpdated,
      asOf,
    },
    { title: 'VehicleInsurance' },
  ),
);

export const document: EndpointDocument = {
  operationId: 'getInsurance',
  description: `\`insured\` is true when a policy is in force today, Europe/London, first and last day included. With \`date\`, the same holds for that day. ${PAST_DAY_RULE} Of several policies the response has the one in force, otherwise the one that ended last, otherwise the next to begin; \`policy\` is null when there is none. ${REGISTRATION_RULE}`,
  path: registrationPath,
  response: VehicleInsurance,
  success: 'Whether the vehicle is insured, and the policy behind the answer',
  examples: [
    example('insured', 'Insured today', { path: { registration: 'AB12CDE' } }),
    example('lapsed', 'Insured until yesterday, and written with a hyphen', { path: { registration: 'DG65-OLD' } }),
    example('noPolicy', 'A known vehicle without a policy', { path: { registration: 'KR08NIL' } }),
    example('pastDay', 'A past day, on which the vehicle was insured', {
      path: { registration: 'DG65OLD' },
      query: { date: '2026-06-14' },
    }),
    ...registrationExamples,
    example('invalidDate', 'A date that does not exist', {
      path: { registration: 'AB12CDE' },
      query: { date: '2026-02-30' },
    }),
  ],
};

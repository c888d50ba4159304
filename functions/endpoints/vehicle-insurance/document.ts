import * as T from 'typebox';
import type { lookUpInsurance } from '../../../core/lookup.ts';
import type { Insurance } from '../../../core/vehicles/insurance.ts';
import { AnswerableDate } from '../../../core/vehicles/schemas.ts';
import { Policy, VehicleDetails, VehicleRecord } from '../../../core/vehicles/vehicle-record.ts';
import {
  type EndpointDocument,
  example,
  openCode,
  PAST_DAY_RULE,
  REGISTRATION_RULE,
  referenceHeader,
  registrationAsSent,
  registrationExamples,
  registrationPath,
  STATUS_RULE,
  schemaOf,
  sourcesOfAnswer,
} from '../document.ts';

export const policyOrNull = T.Union([Policy, T.Null()], {
  description: 'null when the vehicle has no policy at all; absent for a key with `vehicles:status` only',
});

export const asOf = T.Optional(
  T.String({ format: 'date', description: 'The day that was asked for; absent when the answer is for today' }),
);

export const INSURANCE_MEANINGS = {
  IN_FORCE: 'a policy covers the day',
  LAPSED: 'the last policy has ended',
  NOT_STARTED: 'the first policy has not begun',
  NONE: 'there is no policy at all',
};

export const insuranceStatus = openCode<Insurance['status']>(INSURANCE_MEANINGS);

const VehicleInsurance = schemaOf<ReturnType<typeof lookUpInsurance>>()(
  T.Object(
    {
      registration: registrationAsSent,
      insured: T.Boolean({ description: 'Whether a policy is in force today, or on the day in `asOf`, Europe/London' }),
      status: insuranceStatus,
      policy: T.Optional(policyOrNull),
      vehicle: T.Optional(VehicleDetails),
      lastUpdated: T.Optional(VehicleRecord.properties.lastUpdated),
      asOf,
      sources: sourcesOfAnswer,
    },
    { title: 'VehicleInsurance' },
  ),
);

export const document: EndpointDocument = {
  operationId: 'getInsurance',
  description: `\`insured\` is true when a policy is in force today, Europe/London, first and last day included. With \`date\`, the same holds for that day. ${PAST_DAY_RULE} ${STATUS_RULE} Of several policies the response has the one in force, otherwise the one that ended last, otherwise the next to begin; \`policy\` is null when there is none. ${REGISTRATION_RULE}`,
  path: registrationPath,
  // The function reads it without a schema.
  query: T.Object({ date: T.Optional(AnswerableDate) }),
  headers: referenceHeader,
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

/** The shapes that the vehicle endpoints exchange: docs/contract.md#vehicle-insurance, docs/contract.md#bulk. */
import * as T from 'typebox';
import { ANSWERABLE_DATE, isAnswerableDate } from '../runtime/clock.ts';
import { openCode } from '../schemas/open-code.ts';
import { Policy, VehicleDetails, VehicleRecord } from './record.ts';

/** Letters that normalise to one of `ÄÖÜÅäöüå`, however they are composed, and the signs that do to `K` and `Å`. */
const LETTER = '[A-Za-z0-9ÄÖÜÅäöüå\\u212a\\u212b]|[AOUaou]\\u0308|[Aa]\\u030a';
const ASCII = '[B-NP-TV-Zb-np-tv-z0-9\\u212a]|[Aa](?![\\u0308\\u030a])|[OUou](?!\\u0308)';
const SEPARATORS = '[ .\\u00b7\\u0387-]*';

/** The rule of registration.ts as far as JSON Schema can express it, for the document only; a test compares the two. */
export const Registration = T.String({
  maxLength: 32,
  pattern: `^(?=.{0,31}(?:${ASCII}))(?:${SEPARATORS}(?:${LETTER})){1,12}${SEPARATORS}$`,
  description: 'Registration number; case, spaces, hyphens and dots do not matter',
});

const policyOrNull = T.Union([Policy, T.Null()], { description: 'null when the vehicle has no policy at all' });

const asOf = T.Optional(
  T.String({ format: 'date', description: 'The day that was asked for; absent when the answer is for today' }),
);

export const VehicleInsurance = T.Object(
  {
    registration: T.String({ description: 'The registration as it was queried' }),
    insured: T.Boolean({ description: 'Whether a policy is in force today, or on the day in `asOf`, Europe/London' }),
    policy: policyOrNull,
    vehicle: VehicleDetails,
    lastUpdated: VehicleRecord.properties.lastUpdated,
    asOf,
  },
  { title: 'VehicleInsurance' },
);

/** A day to answer for instead of today: the query parameter of the lookup, a field of the bulk request. */
export const AnswerableDate = T.Refine(
  T.String({ format: 'date', description: ANSWERABLE_DATE }),
  (value) => typeof value !== 'string' || isAnswerableDate(value),
  () => `must be ${ANSWERABLE_DATE}`,
);

const registrations = T.Array(T.String(), {
  minItems: 1,
  description: 'Registration numbers, up to the bulk size of the plan',
});

export const BulkRequest = T.Object(
  { registrations, date: T.Optional(AnswerableDate) },
  { title: 'BulkRequest', additionalProperties: false },
);

export const BulkComplianceRequest = T.Object(
  { registrations },
  { title: 'BulkComplianceRequest', additionalProperties: false },
);

const ENTRY_CODES = ['VEHICLE_NOT_FOUND', 'INVALID_REGISTRATION', 'LOOKUP_UNAVAILABLE'] as const;
export const COMPLIANCE_ENTRY_CODES = [...ENTRY_CODES, 'COMPLIANCE_NOT_FOUND'] as const;

/** Why an entry of a bulk request failed. */
export type EntryCode = (typeof COMPLIANCE_ENTRY_CODES)[number];

const BulkSuccess = T.Object(
  { registration: T.String(), insured: T.Boolean(), policy: policyOrNull },
  { title: 'BulkSuccess', description: 'A vehicle that is known, insured or not' },
);

/** The fields of every failed entry, with the codes of its endpoint. */
export const failedEntry = <const Code extends EntryCode>(codes: readonly Code[]) => ({
  registration: T.String(),
  error: T.String({ description: 'What went wrong, in words' }),
  code: openCode(codes),
  suggestion: T.Optional(T.String({ description: 'The registration that was probably meant; ask before you use it' })),
});

const BulkFailure = T.Object(
  { ...failedEntry(ENTRY_CODES), insured: T.Literal(false) },
  {
    title: 'BulkFailure',
    description: 'A registration that is unknown, invalid or could not be read',
  },
);

/** The fields of every bulk response. */
export const bulkEnvelopeOf = <Result extends T.TSchema>(result: Result) => ({
  results: T.Array(result, { description: 'One result per entry, in order' }),
  processed: T.Integer({ description: 'Number of submitted registrations' }),
  successful: T.Integer({ description: 'How many of them have an answer' }),
  failed: T.Integer({ description: 'How many are unknown, invalid or could not be read' }),
});

export const BulkResult = T.Object(
  { ...bulkEnvelopeOf(T.Union([BulkSuccess, BulkFailure])), asOf },
  { title: 'BulkResult' },
);

export type BulkEntry = T.Static<typeof BulkSuccess> | T.Static<typeof BulkFailure>;

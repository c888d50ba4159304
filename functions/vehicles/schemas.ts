/** The shapes that the vehicle endpoints exchange: specification sections 2.1 to 2.4, contract.md "Bulk". */
import * as T from 'typebox';
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

export const VehicleInsurance = T.Object(
  {
    registration: T.String({ description: 'The registration as it was queried' }),
    insured: T.Boolean({ description: 'Whether a policy is in force today, Europe/London' }),
    policy: policyOrNull,
    vehicle: VehicleDetails,
    lastUpdated: VehicleRecord.properties.lastUpdated,
  },
  { title: 'VehicleInsurance' },
);

export const BulkRequest = T.Object(
  {
    registrations: T.Array(T.String(), {
      minItems: 1,
      description: 'Registration numbers, up to the bulk size of the plan',
    }),
  },
  { title: 'BulkRequest', additionalProperties: false },
);

export const BULK_ENTRY_CODES = ['VEHICLE_NOT_FOUND', 'INVALID_REGISTRATION', 'LOOKUP_UNAVAILABLE'] as const;

const BulkSuccess = T.Object(
  { registration: T.String(), insured: T.Boolean(), policy: policyOrNull },
  { title: 'BulkSuccess', description: 'A vehicle that is known, insured or not' },
);

const BulkFailure = T.Object(
  {
    registration: T.String(),
    insured: T.Literal(false),
    error: T.String({ description: 'What went wrong, in words' }),
    code: openCode(BULK_ENTRY_CODES),
  },
  {
    title: 'BulkFailure',
    description: 'A registration that is unknown, invalid or could not be read',
  },
);

export const BulkResult = T.Object(
  {
    results: T.Array(T.Union([BulkSuccess, BulkFailure]), { description: 'One result per entry, in order' }),
    processed: T.Integer({ description: 'Number of submitted registrations' }),
    successful: T.Integer({ description: 'How many of them are known vehicles' }),
    failed: T.Integer({ description: 'How many are unknown, invalid or could not be read' }),
  },
  { title: 'BulkResult' },
);

export type BulkEntry = T.Static<typeof BulkSuccess> | T.Static<typeof BulkFailure>;

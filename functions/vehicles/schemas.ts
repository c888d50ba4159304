/** The shapes that the vehicle endpoints exchange: specification sections 2.1 to 2.4, contract.md "Bulk". */
import * as T from 'typebox';

const day = (description: string) => T.String({ format: 'date', description });

export const Policy = T.Object(
  {
    number: T.String({ description: 'Policy number' }),
    insurer: T.String({ description: 'Insurer name' }),
    validFrom: day('First day of cover, Europe/London'),
    validTo: day('Last day of cover, Europe/London'),
    type: T.String({ description: 'Cover type' }),
  },
  { additionalProperties: false },
);

export const Vehicle = T.Object(
  {
    make: T.String(),
    model: T.String(),
    year: T.Integer({ description: 'Year of manufacture' }),
    color: T.String(),
  },
  { additionalProperties: false },
);

const policyOrNull = T.Union([Policy, T.Null()], { description: 'null when the vehicle has no policy at all' });

export const VehicleInsurance = T.Object(
  {
    registration: T.String({ description: 'The registration as it was queried' }),
    insured: T.Boolean({ description: 'Whether a policy is in force today, Europe/London' }),
    policy: policyOrNull,
    vehicle: Vehicle,
    lastUpdated: T.String({ format: 'date-time', description: 'When the record last changed at its source, UTC' }),
  },
  { additionalProperties: false },
);

export const BulkRequest = T.Object(
  {
    registrations: T.Array(T.String(), {
      minItems: 1,
      description: 'Registration numbers, up to the bulk size of the plan',
    }),
  },
  { additionalProperties: false },
);

export const BULK_ENTRY_CODES = ['VEHICLE_NOT_FOUND', 'INVALID_REGISTRATION', 'LOOKUP_UNAVAILABLE'] as const;

const BulkSuccess = T.Object(
  { registration: T.String(), insured: T.Boolean(), policy: policyOrNull },
  { additionalProperties: false, description: 'A vehicle that is known, insured or not' },
);

const BulkFailure = T.Object(
  {
    registration: T.String(),
    insured: T.Literal(false),
    error: T.String({ description: 'What went wrong, in words' }),
    code: T.Enum([...BULK_ENTRY_CODES]),
  },
  { additionalProperties: false, description: 'A registration that is unknown, invalid or could not be read' },
);

export const BulkResult = T.Object(
  {
    results: T.Array(T.Union([BulkSuccess, BulkFailure]), { description: 'One result per entry, in order' }),
    processed: T.Integer({ description: 'Number of submitted registrations' }),
    successful: T.Integer(),
    failed: T.Integer(),
  },
  { additionalProperties: false },
);

export type BulkEntry = T.Static<typeof BulkSuccess> | T.Static<typeof BulkFailure>;

/**
 * The stored compliance record of a vehicle. Its type, and the checks of imports and of stored items, are made from
 * this schema.
 */
import type { RecordOf } from '../schemas/record-schema.ts';

const alternative = <const Field extends string, const Schema extends object>(field: Field, schema: Schema) =>
  ({
    type: 'object',
    required: [field],
    properties: { [field]: schema } as { readonly [Key in Field]: Schema },
  }) as const;

const day = { type: 'string', format: 'date' } as const;
const exempt = alternative('exempt', { const: true });

/** MOT, road tax and unpaid fines of a vehicle, stored under its `RegistrationKey`. A date is the last good day. */
export const ComplianceRecord = {
  type: 'object',
  required: ['registration', 'mot', 'roadTax', 'outstandingFines'],
  properties: {
    registration: { type: 'string' },
    mot: { anyOf: [alternative('dueDate', day), exempt] },
    roadTax: { anyOf: [alternative('paidUntil', day), exempt, alternative('sorn', { const: true })] },
    outstandingFines: { type: 'integer', minimum: 0 },
    /** When the record last changed at its source, UTC; absent when it is not known. */
    lastUpdated: { type: 'string', format: 'date-time' },
  },
} as const;

export type ComplianceRecord = RecordOf<typeof ComplianceRecord>;

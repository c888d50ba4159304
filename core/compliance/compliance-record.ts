/**
 * The stored compliance record of a vehicle. Its type, and the checks of imports and of stored items, are made from
 * this schema.
 */
import type { RecordOf } from '../schemas/record-schema.ts';

const contentWith = <const Field extends string, const Schema extends object>(field: Field, schema: Schema) =>
  ({
    type: 'object',
    required: [field],
    properties: { [field]: schema } as { readonly [Key in Field]: Schema },
  }) as const;

const day = { type: 'string', format: 'date' } as const;
const dueDate = contentWith('dueDate', day);
const paidUntil = contentWith('paidUntil', day);
const exempt = contentWith('exempt', { const: true });
const sorn = contentWith('sorn', { const: true });
const outstanding = contentWith('outstanding', { type: 'integer', minimum: 0 });

/** What the parts of a record say. A date is the last good day. */
export const PART_CONTENT = {
  mot: { anyOf: [dueDate, exempt] },
  roadTax: { anyOf: [paidUntil, exempt, sorn] },
  fines: outstanding,
} as const;

const partWith = <const Properties extends object, Field extends string>(content: {
  readonly type: 'object';
  readonly required: readonly [Field];
  readonly properties: Properties;
}) =>
  ({
    ...content,
    properties: {
      ...content.properties,
      /** When the part last changed at its source, UTC; absent when it is not known. */
      lastUpdated: { type: 'string', format: 'date-time' },
      /** Whether `import compliance` wrote it, whose complete files remove only what such a file has loaded. */
      fromCompliance: { const: true },
    },
  }) as const;

/**
 * MOT, road tax and unpaid fines of a vehicle, stored under its `RegistrationKey`. A part that no source has supplied is
 * absent, and its check is unknown.
 */
export const ComplianceRecord = {
  type: 'object',
  required: ['registration'],
  properties: {
    registration: { type: 'string' },
    mot: { anyOf: [partWith(dueDate), partWith(exempt)] },
    roadTax: { anyOf: [partWith(paidUntil), partWith(exempt), partWith(sorn)] },
    fines: partWith(outstanding),
  },
} as const;

export type ComplianceRecord = RecordOf<typeof ComplianceRecord>;

/** The parts of a record, each of which has a source of its own. */
export type ComplianceParts = Omit<ComplianceRecord, 'registration'>;

/** Whether a record has a part. One without any counts as no record. */
export const hasPart = ({ mot, roadTax, fines }: ComplianceParts): boolean =>
  mot !== undefined || roadTax !== undefined || fines !== undefined;

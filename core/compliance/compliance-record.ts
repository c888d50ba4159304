/**
 * The stored compliance record of a vehicle. Its type, and the checks of imports and of stored items, are made from
 * this schema.
 */
import type { RecordOf } from '../schemas/record-schema.ts';

const sourceOfPart = {
  /** When the part last changed at its source, UTC; absent when it is not known. */
  lastUpdated: { type: 'string', format: 'date-time' },
  /** Whether `import compliance` wrote it, whose complete files remove only what such a file has loaded. */
  fromCompliance: { const: true },
} as const;

/** A part that says one thing: `content` is what it says, and `stored` also where that is from. */
const partWith = <const Field extends string, const Schema extends object>(field: Field, schema: Schema) => {
  const said = { [field]: schema } as { readonly [Key in Field]: Schema };
  const object = { type: 'object', required: [field] } as const;
  return {
    content: { ...object, properties: said },
    stored: { ...object, properties: { ...said, ...sourceOfPart } },
  } as const;
};

const day = { type: 'string', format: 'date' } as const;
const dueDate = partWith('dueDate', day);
const paidUntil = partWith('paidUntil', day);
const exempt = partWith('exempt', { const: true });
const sorn = partWith('sorn', { const: true });
const outstanding = partWith('outstanding', { type: 'integer', minimum: 0 });

/** What the parts of a record say. A date is the last good day. */
export const PART_CONTENT = {
  mot: { anyOf: [dueDate.content, exempt.content] },
  roadTax: { anyOf: [paidUntil.content, exempt.content, sorn.content] },
  fines: outstanding.content,
} as const;

/**
 * MOT, road tax and unpaid fines of a vehicle, stored under its `RegistrationKey`. A part that no source has supplied
 * is absent, and its check is unknown.
 */
export const ComplianceRecord = {
  type: 'object',
  required: ['registration'],
  properties: {
    registration: { type: 'string' },
    mot: { anyOf: [dueDate.stored, exempt.stored] },
    roadTax: { anyOf: [paidUntil.stored, exempt.stored, sorn.stored] },
    fines: outstanding.stored,
  },
} as const;

export type ComplianceRecord = RecordOf<typeof ComplianceRecord>;

/** The parts of a record, each of which has a source of its own. */
export type ComplianceParts = Omit<ComplianceRecord, 'registration'>;

/** Whether a record has a part. One without any counts as no record. */
export const hasPart = ({ mot, roadTax, fines }: ComplianceParts): boolean =>
  mot !== undefined || roadTax !== undefined || fines !== undefined;

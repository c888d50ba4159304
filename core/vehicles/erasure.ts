/** Erasures, which replace the records of a vehicle that must not come back. Imports no SDK. */
import type { RecordOf } from '../schemas/record-schema.ts';

/** One transaction stores it in the tables of vehicles and of compliance. Exports have it too. */
export const Erasure = {
  type: 'object',
  required: ['registration', 'erased'],
  properties: {
    registration: { type: 'string' },
    erased: {
      type: 'object',
      required: ['at', 'by'],
      properties: { at: { type: 'string', format: 'date-time' }, by: { type: 'string' } },
    },
  },
} as const;

export type Erasure = RecordOf<typeof Erasure>;

/**
 * Whether a stored item is an erasure. Lookups then answer as if nothing were stored. A damaged erasure counts as one.
 */
export const isErased = (item: Readonly<Record<string, unknown>>): boolean => item.erased !== undefined;

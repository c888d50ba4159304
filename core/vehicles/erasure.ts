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
 * The time at which an erasure was undone: an attribute of the vehicle's records in both tables, or of an item that has
 * nothing else. An older copy of the erasure, as in an export or a backup, counts no more.
 */
export const UndoneErasure = {
  type: 'object',
  required: ['registration', 'erasureUndone'],
  properties: { registration: { type: 'string' }, erasureUndone: { type: 'string', format: 'date-time' } },
} as const;

export type UndoneErasure = RecordOf<typeof UndoneErasure>;

type Item = Readonly<Record<string, unknown>>;

/** Whether a stored item is an erasure. A damaged erasure counts as one. */
export const isErased = (item: Item): boolean => item.erased !== undefined;

/** Whether a stored item has no record, only an erasure or its undoing. Lookups answer as if nothing were stored. */
export const hasNoRecord = (item: Item): boolean => {
  if (isErased(item)) return true;
  const { registration, revision, erasureUndone, ...record } = item;
  return erasureUndone !== undefined && Object.keys(record).length === 0;
};

import { Erasure } from '../../core/vehicles/erasure.ts';
import type { ReadOptions } from '../file-command/file-kind.ts';
import type { RecordChange } from '../file-command/record-changes.ts';
import type { Row } from '../files/rows.ts';
import { fieldChecks } from './field-checks.ts';
import { readFields } from './read-fields.ts';

const EXPORTED = 'erased: this is a line of an export; only --restore loads it';

/** An erasure from its line of an export. Other imports reject it, so that no supplier can erase a vehicle. */
export const readErasedLine = (
  { fields }: Row,
  registration: string,
  options: ReadOptions,
): { readonly change: RecordChange } | { readonly reasons: readonly string[] } => {
  if (!options.restore) return { reasons: [EXPORTED] };
  const check = fieldChecks(options);
  const { erased } = readFields(check, Erasure, fields, { registration: () => registration });
  return check.reasons.length > 0 ? { reasons: check.reasons } : { change: { registration, erasure: erased } };
};

import type { Columns } from '../../files/csv-header.ts';

/** The columns of a vehicles CSV: one row per policy, those of the policy blank for a vehicle without any. */
export const VEHICLE_COLUMNS: Columns = {
  required: [
    'registration',
    'make',
    'model',
    'year',
    'color',
    'policy_number',
    'insurer',
    'valid_from',
    'valid_to',
    'policy_type',
  ],
  optional: ['last_updated'],
};

/** A policy's fields by the names they have in a record. */
export const POLICY_COLUMNS: Readonly<Record<string, string>> = {
  number: 'policy_number',
  insurer: 'insurer',
  validFrom: 'valid_from',
  validTo: 'valid_to',
  type: 'policy_type',
};

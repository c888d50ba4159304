import type { Policy, VehicleDetails } from '../../../../functions/vehicles/record.ts';
import type { Row } from '../../files/row.ts';
import { fieldChecks, isBlank } from '../records/field-checks.ts';
import { POLICY_COLUMNS } from './csv-columns.ts';
import { readDetails, readPolicy } from './vehicle-fields.ts';

/** What one CSV row says of a vehicle; it counts only when there are no reasons against it. */
export interface VehicleRow {
  readonly row: Row;
  readonly reasons: string[];
  readonly details: VehicleDetails;
  readonly policy: Policy | undefined;
  readonly lastUpdated: string | undefined;
}

const NO_DETAILS: VehicleDetails = { make: '', model: '', year: 0, color: '' };

const policyFields = (fields: Row['fields']): Record<string, unknown> =>
  Object.fromEntries(Object.entries(POLICY_COLUMNS).map(([field, column]) => [field, fields[column]]));

const asYear = (value: unknown): unknown => {
  const text = typeof value === 'string' ? value.trim() : '';
  return /^\d{1,4}$/.test(text) ? Number(text) : value;
};

/** Reads one row, with every fault in it. A row that is itself damaged has no more said about its fields. */
export const readVehicleRow = (row: Row, now: Date): VehicleRow => {
  if (row.issues.length > 0) {
    return { row, reasons: [...row.issues], details: NO_DETAILS, policy: undefined, lastUpdated: undefined };
  }
  const check = fieldChecks();
  const { fields } = row;
  check.registration('registration', fields.registration);
  const details = readDetails(check, { ...fields, year: asYear(fields.year) }, (field) => field, now);
  const policy = policyFields(fields);
  return {
    row,
    reasons: check.reasons,
    details,
    policy: Object.values(policy).every(isBlank)
      ? undefined
      : readPolicy(check, policy, (field) => POLICY_COLUMNS[field] ?? field),
    lastUpdated: isBlank(fields.last_updated) ? undefined : check.timestamp('last_updated', fields.last_updated),
  };
};

import { Policy, VehicleDetails } from '../../../../functions/vehicles/record.ts';
import type { Row } from '../../files/row.ts';
import { type FieldChecks, fieldChecks, isBlank } from '../records/field-checks.ts';
import { readFields } from '../records/read-fields.ts';
import { POLICY_COLUMNS } from './csv-columns.ts';
import { checkCover, yearRule } from './vehicle-fields.ts';

/** One CSV row of a vehicle; its values are valid only when there are no reasons. */
export interface VehicleRow {
  readonly row: Row;
  readonly reasons: string[];
  readonly details: VehicleDetails;
  readonly policy: Policy | undefined;
  readonly lastUpdated: string | undefined;
}

const NO_DETAILS: VehicleDetails = { make: '', model: '', year: 0, color: '' };

const asIs = (field: string): string => field;
const columnOf = (field: string): string => POLICY_COLUMNS[field] ?? field;

/** The policy of a row; undefined when all of its columns are blank. */
const readPolicy = (check: FieldChecks, fields: Row['fields']): Policy | undefined => {
  const given = Object.fromEntries(Object.entries(POLICY_COLUMNS).map(([field, column]) => [field, fields[column]]));
  if (Object.values(given).every(isBlank)) return undefined;
  const policy = readFields(check, Policy, given, columnOf, {});
  checkCover(check, policy, columnOf);
  return policy;
};

const asYear = (value: unknown): unknown => {
  const text = typeof value === 'string' ? value.trim() : '';
  return /^\d{1,4}$/.test(text) ? Number(text) : value;
};

/** Reads one row with every issue. Of an unreadable row the fields are not checked. */
export const readVehicleRow = (row: Row, registration: string | undefined, now: Date): VehicleRow => {
  if (row.issues.length > 0) {
    return { row, reasons: [...row.issues], details: NO_DETAILS, policy: undefined, lastUpdated: undefined };
  }
  const check = fieldChecks();
  const { fields } = row;
  if (registration === undefined) check.invalidRegistration('registration', fields.registration);
  return {
    row,
    reasons: check.reasons,
    details: readFields(check, VehicleDetails, { ...fields, year: asYear(fields.year) }, asIs, yearRule(check, now)),
    policy: readPolicy(check, fields),
    lastUpdated: isBlank(fields.last_updated) ? undefined : check.timestamp('last_updated', fields.last_updated),
  };
};

import { Policy, VehicleDetails } from '../../../../core/vehicles/record.ts';
import type { FileContext } from '../../file-command/file-command.ts';
import type { Columns } from '../../files/csv-header.ts';
import type { Row } from '../../files/row.ts';
import { type FieldChecks, fieldChecks, isBlank } from '../records/field-checks.ts';
import { readFields } from '../records/read-fields.ts';

/** A policy's fields by the names they have in a record. */
const POLICY_COLUMNS: Readonly<Record<string, string>> = {
  number: 'policy_number',
  insurer: 'insurer',
  validFrom: 'valid_from',
  validTo: 'valid_to',
  type: 'policy_type',
};

const COLUMNS_OF_POLICY = Object.values(POLICY_COLUMNS);

/** The columns of a vehicles CSV: one row per policy, those of the policy blank for a vehicle without any. */
export const VEHICLE_COLUMNS: Columns = {
  required: ['registration', 'make', 'model', 'year', 'color', ...COLUMNS_OF_POLICY],
  optional: ['last_updated'],
};

const asIs = (field: string): string => field;
const columnOf = (field: string): string => POLICY_COLUMNS[field] ?? field;

/** The policy of a row; undefined when all of its columns are blank. */
const readPolicy = (check: FieldChecks, fields: Row['fields']): Policy | undefined => {
  if (COLUMNS_OF_POLICY.every((column) => isBlank(fields[column]))) return undefined;
  const given: Record<string, unknown> = {};
  for (const field in POLICY_COLUMNS) given[field] = fields[columnOf(field)];
  const policy = readFields(check, Policy, given, columnOf, {});
  check.cover(policy, columnOf);
  return policy;
};

const asYear = (value: unknown): unknown => {
  const text = typeof value === 'string' ? value.trim() : '';
  return /^\d{1,4}$/.test(text) ? Number(text) : value;
};

const NO_DETAILS: VehicleDetails = { make: '', model: '', year: 0, color: '' };

/**
 * Reads one row of a vehicle with every issue; its values are valid only when there are no reasons. Of an unreadable row the
 * fields are not checked.
 */
export const readVehicleRow = (row: Row, registration: string | undefined, context: FileContext) => {
  if (row.issues.length > 0) {
    return { row, reasons: [...row.issues], details: NO_DETAILS, policy: undefined, lastUpdated: undefined };
  }
  const check = fieldChecks(context);
  const { fields } = row;
  if (registration === undefined) check.invalidRegistration('registration', fields.registration);
  const details = readFields(check, VehicleDetails, fields, asIs, {
    year: (name, value) => check.year(name, asYear(value)),
    model: check.textOrEmpty,
  });
  const policy = readPolicy(check, fields);
  const lastUpdated = isBlank(fields.last_updated) ? undefined : check.lastUpdated('last_updated', fields.last_updated);
  return { row, reasons: check.reasons, details, policy, lastUpdated };
};

/** One CSV row of a vehicle. */
export type VehicleRow = ReturnType<typeof readVehicleRow>;

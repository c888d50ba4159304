import { MAX_POLICIES, Policy, VehicleDetails } from '../../core/vehicles/vehicle-record.ts';
import type { GroupResult, RowContext } from '../file-command/command-types.ts';
import type { RecordChange } from '../file-command/record-changes.ts';
import { MAX_GROUP_ROWS, type RowGroup } from '../file-command/row-groups.ts';
import type { Columns } from '../files/csv-header.ts';
import type { Row } from '../files/row.ts';
import type { VehicleBody } from '../vehicle-parts.ts';
import { asNumber, cellValue, type FieldChecks, fieldChecks, isBlank } from './field-checks.ts';
import { readFields } from './read-fields.ts';

/** What a file says of a vehicle. */
export type VehicleChange = RecordChange<VehicleBody>;

const POLICY_COLUMNS: Readonly<Record<string, string>> = {
  number: 'policy_number',
  insurer: 'insurer',
  validFrom: 'valid_from',
  validTo: 'valid_to',
  type: 'policy_type',
};

const COLUMNS_OF_POLICY = Object.values(POLICY_COLUMNS);

/** The columns of a vehicles CSV: one row per policy. A vehicle without a policy leaves the policy's columns blank. */
export const VEHICLE_COLUMNS: Columns = {
  required: ['registration', 'make', 'model', 'year', 'color', ...COLUMNS_OF_POLICY],
  optional: ['last_updated'],
};

const columnOf = (field: string): string => POLICY_COLUMNS[field] ?? field;

/** The policy of a row; undefined when all of its columns are blank. */
const readPolicy = (check: FieldChecks, fields: Row['fields']): Policy | undefined => {
  if (COLUMNS_OF_POLICY.every((column) => isBlank(fields[column]))) return undefined;
  const given: Record<string, unknown> = {};
  for (const field in POLICY_COLUMNS) given[field] = fields[columnOf(field)];
  const policy = readFields(check, Policy, given, {}, columnOf);
  check.cover(policy, columnOf);
  return policy;
};

const NO_DETAILS: VehicleDetails = { make: '', model: '', year: 0, color: '' };

/** One row with every issue. The fields of an unreadable row are not checked. */
const readVehicleRow = (row: Row, registration: string | undefined, context: RowContext) => {
  if (row.issues.length > 0) {
    return { row, reasons: [...row.issues], details: NO_DETAILS, policy: undefined, lastUpdated: undefined };
  }
  const check = fieldChecks(context);
  const { fields } = row;
  if (registration === undefined) check.invalidRegistration('registration', fields.registration);
  const rules = { year: (name: string, value: unknown) => check.year(name, asNumber(value)), model: check.textOrEmpty };
  const details = readFields(check, VehicleDetails, fields, rules, columnOf);
  const policy = readPolicy(check, fields);
  const lastUpdated = check.lastUpdated('last_updated', cellValue(fields.last_updated));
  return { row, reasons: check.reasons, details, policy, lastUpdated };
};

type VehicleRow = ReturnType<typeof readVehicleRow>;

const DETAILS = Object.keys(VehicleDetails.properties) as (keyof VehicleDetails)[];
const TOO_MANY_ROWS = `a vehicle has at most ${MAX_GROUP_ROWS.toLocaleString('en-GB')} rows and 4 MB`;

const rejectContradictions = (rows: readonly VehicleRow[]): void => {
  const [first, ...others] = rows.filter(({ reasons }) => reasons.length === 0);
  for (const { details, reasons } of others) {
    for (const field of DETAILS) {
      if (first && details[field] !== first.details[field]) {
        reasons.push(`${field}: is not the same as on line ${first.row.line}, which is the same vehicle`);
      }
    }
  }
};

/** Adds reasons to rows whose policy is there already or is one too many. @returns the policies */
const readPolicies = (rows: readonly VehicleRow[]): Policy[] => {
  const lines = new Map<string, number>();
  const policies: Policy[] = [];
  for (const { row, policy, reasons } of rows) {
    if (policy === undefined) continue;
    const earlier = lines.get(policy.number);
    if (earlier === undefined) lines.set(policy.number, row.line);
    else if (policy.number !== '') reasons.push(`policy_number: is the same as on line ${earlier}`);
    if (policies.push(policy) > MAX_POLICIES) reasons.push(`a vehicle has at most ${MAX_POLICIES} policies`);
  }
  return policies;
};

/** One vehicle from its rows. One rejected row rejects all: a record without one of its policies would be wrong. */
export const readVehicleRows = (
  { key: registration, rows: group, isTruncated }: RowGroup,
  context: RowContext,
): GroupResult<VehicleChange> => {
  if (isTruncated) return { rejected: group.map((row) => ({ row, reasons: [...row.issues, TOO_MANY_ROWS] })) };
  const rows = group.map((row) => readVehicleRow(row, registration, context));
  rejectContradictions(rows);
  const policies = readPolicies(rows);
  const [first] = rows;
  const bad = rows.find(({ reasons }) => reasons.length > 0);
  if (bad || first === undefined || registration === undefined) {
    const whole = `rejected with line ${bad?.row.line}, which is the same vehicle`;
    return { rejected: rows.map(({ row, reasons }) => ({ row, reasons: reasons.length > 0 ? reasons : [whole] })) };
  }
  const times = rows.flatMap((row) => row.lastUpdated ?? []);
  const body = { vehicle: first.details, policies };
  return { rejected: [], record: { registration, body, lastUpdated: times.toSorted().at(-1) } };
};

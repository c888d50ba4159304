import { MAX_POLICIES, Policy, VehicleDetails } from '../../core/vehicles/vehicle-record.ts';
import type { Columns } from '../files/columns.ts';
import type { ReadOptions, ReadRows } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import { asNumber, cellValue, type FieldChecks, fieldChecks, isBlank } from './field-checks.ts';
import { readFields } from './read-fields.ts';

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

export const lacksPolicy = ({ fields }: Pick<Row, 'fields'>): boolean =>
  COLUMNS_OF_POLICY.every((column) => isBlank(fields[column]));

const readPolicy = (check: FieldChecks, fields: Row['fields']): Policy | undefined => {
  if (lacksPolicy({ fields })) return undefined;
  const policy = readFields(check, Policy, fields, {}, columnOf);
  check.policyPeriod(policy, columnOf);
  return policy;
};

const readVehicleRow = (row: Row, options: ReadOptions) => {
  const check = fieldChecks(options);
  const { fields } = row;
  const rules = { year: (name: string, value: unknown) => check.year(name, asNumber(value)), model: check.textOrEmpty };
  const details = readFields(check, VehicleDetails, fields, rules, columnOf);
  const policy = readPolicy(check, fields);
  const lastUpdated = check.lastUpdated('last_updated', cellValue(fields.last_updated));
  return { row, reasons: check.reasons, details, policy, lastUpdated };
};

type VehicleRow = ReturnType<typeof readVehicleRow>;

const DETAILS = Object.keys(VehicleDetails.properties) as (keyof VehicleDetails)[];

/** Sources write `Ford` and `FORD` for one make. */
const withoutCase = (value: string | number): string => String(value).toLowerCase();

/** Leaves out rows that repeat an earlier one, as in a file with a row for each driver or keeper of a vehicle. */
const withoutRepeats = (rows: readonly VehicleRow[]): VehicleRow[] => {
  const seen = new Set<string>();
  return rows.filter(({ reasons, details, policy, lastUpdated }) => {
    const content = JSON.stringify([reasons, DETAILS.map((field) => withoutCase(details[field])), policy, lastUpdated]);
    return reasons.length > 0 || seen.size < seen.add(content).size;
  });
};

const rejectContradictions = ([first, ...others]: readonly VehicleRow[]): void => {
  for (const { details, reasons } of others) {
    for (const field of DETAILS) {
      if (first && withoutCase(details[field]) !== withoutCase(first.details[field])) {
        reasons.push(`${field}: is not the same as on line ${first.row.line}, which is the same vehicle`);
      }
    }
  }
};

/** The same number and a day in common. A renewal may keep the number of the earlier policy. */
export const overlap = (one: Policy, other: Policy): boolean =>
  one.number === other.number && one.validFrom <= other.validTo && other.validFrom <= one.validTo;

/** A row gets a reason when its policy overlaps with an earlier one, or is one too many. */
const readPolicies = (rows: readonly VehicleRow[]): Policy[] => {
  const policies: { readonly policy: Policy; readonly line: number }[] = [];
  for (const { row, policy, reasons } of rows) {
    if (policy === undefined || reasons.length > 0) continue;
    const earlier = policies.find((one) => overlap(one.policy, policy));
    if (earlier) reasons.push(`policy_number: is the same as on line ${earlier.line}, and the periods overlap`);
    policies.push({ policy, line: row.line });
    if (policies.length > MAX_POLICIES) reasons.push(`a vehicle has at most ${MAX_POLICIES} policies`);
  }
  return policies.map(({ policy }) => policy);
};

/** One rejected row rejects all of them: a record without one of its policies would be wrong. */
export const readVehicleRows = (
  group: readonly Row[],
  registration: string,
  supplier: string,
  options: ReadOptions,
): ReadRows => {
  const all = group.map((row) => readVehicleRow(row, options));
  const rows = withoutRepeats(all);
  rejectContradictions(rows.filter(({ reasons }) => reasons.length === 0));
  const policies = readPolicies(rows);
  const [first] = rows;
  const bad = rows.find(({ reasons }) => reasons.length > 0);
  if (bad || first === undefined) {
    const whole = `rejected with line ${bad?.row.line}, which is the same vehicle`;
    const rejected = all.map(({ row, reasons }) => ({ row, reasons: reasons.length > 0 ? reasons : [whole] }));
    return { rejected };
  }
  const times = rows.flatMap((row) => row.lastUpdated ?? []);
  const part = { body: { vehicle: first.details, policies }, lastUpdated: times.toSorted().at(-1) };
  return {
    change: { kind: 'put', registration, parts: new Map([[supplier, part]]) },
    repeated: all.length - rows.length,
  };
};

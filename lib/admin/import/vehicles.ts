import { MAX_POLICIES, Policy, VehicleDetails, VehicleRecord } from '../../../core/vehicles/vehicle-record.ts';
import {
  type GroupResult,
  type ImportKind,
  type RowContext,
  type RowResult,
  recordPerRow,
} from '../file-command/file-command.ts';
import { type RecordChange, recordChanges } from '../file-command/record-changes.ts';
import { NAMELESS } from '../file-command/record-form.ts';
import { MAX_GROUP_ROWS, type RowGroup } from '../file-command/row-groups.ts';
import type { Columns } from '../files/csv-header.ts';
import { type Row, registrationOf } from '../files/row.ts';
import { SUPPLIER_NAME } from '../suppliers/supplier-option.ts';
import {
  readSupplied,
  Supplied,
  type SuppliedVehicle,
  supplierForm,
  type VehicleBody,
  WHOLE_VEHICLES,
} from '../suppliers/vehicle-parts.ts';
import { asNumber, cellValue, type FieldChecks, fieldChecks, fileTime, isBlank } from './field-checks.ts';
import { readFields } from './read-fields.ts';

type VehicleChange = RecordChange<VehicleBody>;

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
const TOO_MANY_ROWS = `a vehicle has at most ${MAX_GROUP_ROWS.toLocaleString('en-GB')} rows`;

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
const readVehicleRows = (
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

const checkPolicies = (check: FieldChecks, policies: SuppliedVehicle['policies']): void => {
  const seen = new Map<string, number>();
  for (const [index, policy] of policies.entries()) {
    const nameOf = (field: string) => `policies[${index}].${field}`;
    check.cover(policy, nameOf);
    const key = `${policy.supplier ?? ''} ${policy.number}`;
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, index);
    else if (policy.number !== '') check.issue(nameOf('number'), `is the same as policies[${earlier}].number`);
  }
};

const rulesOf = (check: FieldChecks, key: string | undefined) => ({
  year: check.year,
  model: check.textOrEmpty,
  registration: (name: string, value: unknown) => key ?? check.invalidRegistration(name, value),
  lastUpdated: check.lastUpdated,
});

const SEVERAL_SUPPLIERS =
  'supplied: this is an exported record of named suppliers; --restore loads an export, --supplier the file of one supplier';

const readVehicleLine = (row: Row, key: string | undefined, context: RowContext): RowResult<VehicleChange> => {
  if (row.fields.supplied !== undefined) return { reasons: [SEVERAL_SUPPLIERS] };
  const check = fieldChecks(context);
  const { vehicle, policies, lastUpdated } = readFields(check, VehicleRecord, row.fields, rulesOf(check, key));
  checkPolicies(check, policies);
  if (check.reasons.length > 0 || key === undefined) return { reasons: check.reasons };
  return { record: { registration: key, body: { vehicle, policies }, lastUpdated } };
};

const { properties } = VehicleRecord;
/** A line of an export. `supplied` has a rule. */
const ExportedVehicle = {
  ...VehicleRecord,
  properties: {
    ...properties,
    policies: {
      ...properties.policies,
      items: { ...Policy, properties: { ...Policy.properties, supplier: { type: 'string' } } },
    },
    supplied: {},
  },
} as const;

const readSaid = (check: FieldChecks, name: string, value: unknown): SuppliedVehicle['supplied'] => {
  if (value === undefined) return undefined;
  const names = Object.keys(Object(value)).filter((one) => one === NAMELESS || SUPPLIER_NAME.test(one));
  const given = Object.entries(check.object(name, value, names)).sort(([a], [b]) => (a < b ? -1 : 1));
  const rules = { year: check.year, model: check.textOrEmpty };
  return Object.fromEntries(
    given.map(([supplier, said]) => {
      const path = `${name}.${supplier}`;
      const fields = check.object(path, said, Object.keys(Supplied.properties));
      return [supplier, readFields(check, Supplied, fields, rules, (field) => `${path}.${field}`)];
    }),
  );
};

/** One vehicle from its line of an export, with all of its suppliers. */
const readExportedLine = (row: Row, key: string | undefined, context: RowContext): RowResult<VehicleChange> => {
  const check = fieldChecks(context);
  const read = readFields(check, ExportedVehicle, row.fields, {
    ...rulesOf(check, key),
    supplied: (name, value) => readSaid(check, name, value),
  }) as SuppliedVehicle;
  const { vehicle, policies, lastUpdated, supplied } = read;
  checkPolicies(check, policies);
  const isNamed = supplied !== undefined || policies.some(({ supplier }) => supplier !== undefined);
  if (check.reasons.length === 0 && isNamed && JSON.stringify(readSupplied({ ...read })) !== JSON.stringify(read)) {
    check.issue('supplied', 'does not go with vehicle, policies and lastUpdated as an export has them');
  }
  if (check.reasons.length > 0 || key === undefined) return { reasons: check.reasons };
  return { record: { registration: key, body: { vehicle, policies, ...(supplied && { supplied }) }, lastUpdated } };
};

/** Vehicles with their policies: CSV with a row per policy, or NDJSON with a vehicle per line. */
export const vehicles: ImportKind<VehicleChange> = {
  noun: 'vehicles',
  columns: VEHICLE_COLUMNS,
  keyOf: registrationOf,
  read: (group, context) => {
    if (context.source.format === 'csv') return readVehicleRows(group, context);
    const readLine = context.restore ? readExportedLine : readVehicleLine;
    return recordPerRow(group, (row, registration) => readLine(row, registration, context));
  },
  form: ({ supplier }) => supplierForm(supplier),
  removal: (registration, isErased) => ({ registration, isErased }),
  writing: (context) =>
    context.restore
      ? recordChanges(WHOLE_VEHICLES, context, fileTime(context))
      : recordChanges(supplierForm(context.supplier), context, fileTime(context)),
};

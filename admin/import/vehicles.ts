import { Policy, VehicleRecord } from '../../core/vehicles/vehicle-record.ts';
import { type ImportKind, type RowContext, type RowResult, recordPerRow } from '../file-command/command-types.ts';
import { recordChanges } from '../file-command/record-changes.ts';
import { NAMELESS } from '../file-command/record-form.ts';
import { type Row, registrationOf } from '../files/row.ts';
import { SUPPLIER_NAME } from '../supplier-option.ts';
import { readSupplied, type SuppliedVehicle, SupplierDetails, supplierForm, WHOLE_VEHICLES } from '../vehicle-parts.ts';
import { type FieldChecks, fieldChecks, fileTime } from './field-checks.ts';
import { readFields } from './read-fields.ts';
import { readVehicleRows, VEHICLE_COLUMNS, type VehicleChange } from './vehicle-rows.ts';

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
      const fields = check.object(path, said, Object.keys(SupplierDetails.properties));
      return [supplier, readFields(check, SupplierDetails, fields, rules, (field) => `${path}.${field}`)];
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

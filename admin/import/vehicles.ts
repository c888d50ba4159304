import { SUPPLIER_NAME } from '../../core/stage/outputs.ts';
import { Policy, VehicleRecord } from '../../core/vehicles/vehicle-record.ts';
import type { FileCommand } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import { NAMELESS } from '../records/record-target.ts';
import {
  readSuppliedVehicle,
  type SuppliedVehicle,
  SupplierDetails,
  supplierTarget,
  WHOLE_VEHICLES,
} from '../records/vehicle-parts.ts';
import type { FieldChecks } from './field-checks.ts';
import { readFields } from './read-fields.ts';
import { overlap, readVehicleRows } from './vehicle-rows.ts';
import { readWholeRecords } from './whole-records.ts';

const checkPolicies = (check: FieldChecks, policies: SuppliedVehicle['policies']): void => {
  for (const [index, policy] of policies.entries()) {
    const fieldName = (field: string) => `policies[${index}].${field}`;
    check.policyPeriod(policy, fieldName);
    const earlier = policies
      .slice(0, index)
      .findIndex((one) => one.supplier === policy.supplier && overlap(one, policy));
    if (earlier >= 0)
      check.issue(fieldName('number'), `is the same as policies[${earlier}].number, whose period overlaps`);
  }
};

const vehicleRulesFor = (check: FieldChecks, registration: string) => ({
  year: check.year,
  model: check.textOrEmpty,
  registration: () => registration,
  lastUpdated: check.lastUpdated,
});

const readVehicleLine = (check: FieldChecks, fields: Row['fields'], registration: string) => {
  if (fields.supplied !== undefined) {
    check.issue(
      'supplied',
      'this is an exported record of named suppliers; --restore loads an export, --supplier the file of one supplier',
    );
    return {};
  }
  const { vehicle, policies, lastUpdated } = readFields(
    check,
    VehicleRecord,
    fields,
    vehicleRulesFor(check, registration),
  );
  checkPolicies(check, policies);
  return { body: { vehicle, policies }, lastUpdated };
};

const { properties } = VehicleRecord;
/** The schema of a line of an export. `supplied` is read by a rule. */
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

const readSupplierDetails = (check: FieldChecks, name: string, value: unknown): SuppliedVehicle['supplied'] => {
  if (value === undefined) return undefined;
  const names = Object.keys(Object(value)).filter((one) => one === NAMELESS || SUPPLIER_NAME.test(one));
  const given = Object.entries(check.object(name, value, names)).sort(([a], [b]) => (a < b ? -1 : 1));
  const rules = { year: check.year, model: check.textOrEmpty };
  return Object.fromEntries(
    given.map(([supplier, details]) => {
      const path = `${name}.${supplier}`;
      const fields = check.object(path, details, Object.keys(SupplierDetails.properties));
      return [supplier, readFields(check, SupplierDetails, fields, rules, (field) => `${path}.${field}`)];
    }),
  );
};

/** One vehicle from its line of an export, with all of its suppliers. */
const readExportedLine = (check: FieldChecks, fields: Row['fields'], registration: string) => {
  const read = readFields(check, ExportedVehicle, fields, {
    ...vehicleRulesFor(check, registration),
    supplied: (name, value) => readSupplierDetails(check, name, value),
  }) as SuppliedVehicle;
  const { vehicle, policies, lastUpdated, supplied } = read;
  checkPolicies(check, policies);
  const isNamed = supplied !== undefined || policies.some(({ supplier }) => supplier !== undefined);
  if (
    check.reasons.length === 0 &&
    isNamed &&
    JSON.stringify(readSuppliedVehicle({ ...read })) !== JSON.stringify(read)
  ) {
    check.issue('supplied', 'does not go with vehicle, policies and lastUpdated as an export has them');
  }
  return { body: { vehicle, policies, ...(supplied && { supplied }) }, lastUpdated };
};

/** Vehicles with their policies: CSV with a row per policy, or NDJSON with a vehicle per line. */
export const vehicleRules = (supplier: string | undefined, restore = false): FileCommand['rowHandling'] => ({
  target: restore ? WHOLE_VEHICLES : supplierTarget(supplier),
  read: (rows, registration, options) =>
    options.format === 'csv'
      ? readVehicleRows(rows, registration, options)
      : readWholeRecords(rows, registration, options, restore ? readExportedLine : readVehicleLine),
});

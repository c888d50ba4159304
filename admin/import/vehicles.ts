import { NAMELESS, SUPPLIER_NAME } from '../../core/stage/outputs.ts';
import { Policy, VehicleRecord } from '../../core/vehicles/vehicle-record.ts';
import type { RecordRules } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import {
  readSuppliedVehicle,
  readVehicleParts,
  type SuppliedVehicle,
  SupplierDetails,
  supplierTarget,
  WHOLE_VEHICLES,
} from '../records/vehicle-parts.ts';
import type { FieldChecks } from './field-checks.ts';
import { type ReadRow, readFields, readWholeRecords } from './read-fields.ts';
import { lacksPolicy, overlap, readVehicleRows } from './vehicle-rows.ts';

const checkPolicies = (check: FieldChecks, policies: SuppliedVehicle['policies']): void => {
  for (const [index, policy] of policies.entries()) {
    const fieldName = (field: string) => `policies[${index}].${field}`;
    check.policyPeriod(policy, fieldName);
    const earlier = policies
      .slice(0, index)
      .findIndex((one) => one.supplier === policy.supplier && overlap(one, policy));
    if (earlier < 0) continue;
    check.issue(fieldName('number'), `is the same as policies[${earlier}].number, whose period overlaps`);
  }
};

const vehicleRulesFor = (check: FieldChecks, registration: string) => ({
  year: check.year,
  model: check.textOrEmpty,
  registration: () => registration,
  lastUpdated: check.lastUpdated,
});

const vehicleLineOf =
  (supplier: string): ReadRow =>
  (check, fields, registration) => {
    const rules = vehicleRulesFor(check, registration);
    const { vehicle, policies, lastUpdated } = readFields(check, VehicleRecord, fields, rules);
    checkPolicies(check, policies);
    const part = { body: { vehicle, policies }, lastUpdated };
    return { kind: 'put', registration, parts: new Map([[supplier, part]]) };
  };

/** The schema of a line of an export, with the suppliers that the line has. */
const exportedVehicle = ({ supplied }: Row['fields']) => {
  const { policies } = VehicleRecord.properties;
  const supplier = { type: 'string' } as const;
  const names = Object.keys(Object(supplied)).filter((name) => name === NAMELESS || SUPPLIER_NAME.test(name));
  const details = names.sort().map((name) => [name, SupplierDetails]);
  return {
    ...VehicleRecord,
    properties: {
      ...VehicleRecord.properties,
      policies: { ...policies, items: { ...Policy, properties: { ...Policy.properties, supplier } } },
      supplied: { type: 'object', properties: Object.fromEntries(details) },
    },
  } as const;
};

/** One vehicle from its line of an export. Its suppliers must be as an export has them. */
const readExportedLine: ReadRow = (check, fields, registration) => {
  const rules = vehicleRulesFor(check, registration);
  const read = readFields(check, exportedVehicle(fields), fields, rules) as SuppliedVehicle;
  const { vehicle, policies, lastUpdated, supplied } = read;
  checkPolicies(check, policies);
  const isNamed = supplied !== undefined || policies.some(({ supplier }) => supplier !== undefined);
  const isAsExported = !isNamed || JSON.stringify(readSuppliedVehicle({ ...read })) === JSON.stringify(read);
  if (check.reasons.length === 0 && !isAsExported) {
    check.issue('supplied', 'does not go with vehicle, policies and lastUpdated as an export has them');
  }
  const nameless = new Map([[NAMELESS, { body: { vehicle, policies }, lastUpdated }]]);
  return { kind: 'put', registration, parts: (isNamed && readVehicleParts({ ...read })) || nameless };
};

export const vehicleRules = (supplier = NAMELESS, restore = false): RecordRules => ({
  kind: 'records',
  target: restore ? WHOLE_VEHICLES : supplierTarget(supplier),
  lacksPolicy,
  read: (rows, registration, options) =>
    typeof rows[0]?.given === 'string'
      ? readWholeRecords(rows, registration, options, restore ? readExportedLine : vehicleLineOf(supplier))
      : readVehicleRows(rows, registration, supplier, options),
});

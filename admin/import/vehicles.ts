import { isDeepStrictEqual } from 'node:util';
import { SUPPLIER_NAME } from '../../core/stage/outputs.ts';
import { VehicleRecord } from '../../core/vehicles/vehicle-record.ts';
import type { FileCommand } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import { NAMELESS } from '../records/record-target.ts';
import { readSuppliedVehicle, type SuppliedVehicle, supplierTarget, WHOLE_VEHICLES } from '../records/vehicle-parts.ts';
import type { FieldChecks } from './field-checks.ts';
import { type ReadRow, readFields, readWholeRecords } from './read-fields.ts';
import { overlap, readVehicleRows } from './vehicle-rows.ts';

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

const readVehicle = (check: FieldChecks, fields: Row['fields'], registration: string) =>
  readFields(check, VehicleRecord, fields, {
    year: check.year,
    model: check.textOrEmpty,
    registration: () => registration,
    lastUpdated: check.lastUpdated,
  });

const readVehicleLine: ReadRow = (check, fields, registration) => {
  if (fields.supplied !== undefined) {
    check.issue(
      'supplied',
      'this is an exported record of named suppliers; --restore loads an export, --supplier the file of one supplier',
    );
    return {};
  }
  const { vehicle, policies, lastUpdated } = readVehicle(check, fields, registration);
  checkPolicies(check, policies);
  return { body: { vehicle, policies }, lastUpdated };
};

/** One vehicle from its line of an export. Its suppliers must be as an export has them. */
const readExportedLine: ReadRow = (check, fields, registration) => {
  if (fields.supplied === undefined) return readVehicleLine(check, fields, registration);
  const withoutSuppliers = JSON.parse(JSON.stringify(fields), (name, value) =>
    ['supplier', 'supplied'].includes(name) ? undefined : value,
  );
  const { lastUpdated } = readVehicle(check, withoutSuppliers, registration);
  const line = { ...fields, registration };
  const record = readSuppliedVehicle(line);
  checkPolicies(check, record?.policies ?? []);
  const isName = (name: string) => name === NAMELESS || SUPPLIER_NAME.test(name);
  const isAsExported = isDeepStrictEqual(record, line) && Object.keys(Object(fields.supplied)).every(isName);
  if (check.reasons.length === 0 && !isAsExported) {
    check.issue('supplied', 'does not go with vehicle, policies and lastUpdated as an export has them');
  }
  const { vehicle, policies, supplied } = record ?? {};
  return { body: { vehicle, policies, supplied }, lastUpdated };
};

export const vehicleRules = (supplier: string | undefined, restore = false): FileCommand['rowHandling'] => ({
  target: restore ? WHOLE_VEHICLES : supplierTarget(supplier),
  read: (rows, registration, options) =>
    options.format === 'csv'
      ? readVehicleRows(rows, registration, options)
      : readWholeRecords(rows, registration, options, restore ? readExportedLine : readVehicleLine),
});

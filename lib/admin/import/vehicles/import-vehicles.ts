import { type Policy, VehicleRecord } from '../../../../core/vehicles/record.ts';
import type { ImportKind, RowContext } from '../../file-command/file-command.ts';
import type { Row } from '../../files/row.ts';
import { type FieldChecks, fieldChecks, fileTime } from '../records/field-checks.ts';
import { readFields } from '../records/read-fields.ts';
import {
  type RowResult,
  recordPerRow,
  recordWriting,
  registrationOf,
  type StoredRecord,
} from '../records/record-per-row.ts';
import { readVehicle, VEHICLE_COLUMNS } from './csv-vehicle.ts';

const checkPolicies = (check: FieldChecks, policies: readonly Policy[]): void => {
  const seen = new Map<string, number>();
  for (const [index, policy] of policies.entries()) {
    const nameOf = (field: string) => `policies[${index}].${field}`;
    check.cover(policy, nameOf);
    const earlier = seen.get(policy.number);
    if (earlier === undefined) seen.set(policy.number, index);
    else if (policy.number !== '') check.issue(nameOf('number'), `is the same as policies[${earlier}].number`);
  }
};

/** One vehicle from its NDJSON line. Without a `lastUpdated` the record gets the modification time of the file. */
const readVehicleLine = (row: Row, registration: string | undefined, context: RowContext): RowResult<VehicleRecord> => {
  const check = fieldChecks(context);
  const record = readFields(check, VehicleRecord, row.fields, {
    year: check.year,
    model: check.textOrEmpty,
    registration: (name, value) => registration ?? check.invalidRegistration(name, value),
    lastUpdated: (name, value) => (value === undefined ? fileTime(context) : check.lastUpdated(name, value)),
  });
  checkPolicies(check, record.policies);
  return check.reasons.length > 0 ? { reasons: check.reasons } : { record };
};

/** Vehicles with their policies: CSV with a row per policy, or NDJSON with a vehicle per line. */
export const vehicles: ImportKind<StoredRecord> = {
  noun: 'vehicles',
  columns: VEHICLE_COLUMNS,
  keyOf: registrationOf,
  read: (group, context) =>
    context.source.format === 'csv'
      ? readVehicle(group, context)
      : recordPerRow(group, (row, registration) => readVehicleLine(row, registration, context)),
  writing: recordWriting,
};

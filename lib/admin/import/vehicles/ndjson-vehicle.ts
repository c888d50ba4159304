import { MAX_POLICIES, type Policy, type VehicleRecord } from '../../../../functions/vehicles/record.ts';
import type { Row, RowResult } from '../../files/row.ts';
import { type FieldChecks, fieldChecks } from '../records/field-checks.ts';
import { readDetails, readPolicy, TOO_MANY_POLICIES } from './vehicle-fields.ts';

const RECORD_FIELDS = ['registration', 'vehicle', 'policies', 'lastUpdated'];
const DETAIL_FIELDS = ['make', 'model', 'year', 'color'];
const POLICY_FIELDS = ['number', 'insurer', 'validFrom', 'validTo', 'type'];

const checkPolicyNumbers = (check: FieldChecks, policies: readonly Policy[]): void => {
  const seen = new Map<string, number>();
  for (const [index, { number }] of policies.entries()) {
    const earlier = seen.get(number);
    if (earlier === undefined) seen.set(number, index);
    else if (number !== '') check.issue(`policies[${index}].number`, `is the same as policies[${earlier}].number`);
  }
};

const readPolicies = (check: FieldChecks, value: unknown): Policy[] => {
  if (!Array.isArray(value)) {
    check.issue('policies', value === undefined ? 'is missing' : 'must be an array');
    return [];
  }
  if (value.length > MAX_POLICIES) {
    check.issue('policies', TOO_MANY_POLICIES);
    return [];
  }
  const policies = value.map((entry: unknown, index) => {
    const name = `policies[${index}]`;
    return readPolicy(check, check.object(name, entry, POLICY_FIELDS), (field) => `${name}.${field}`);
  });
  checkPolicyNumbers(check, policies);
  return policies;
};

/** One vehicle from its line. Without a moment of its own the record is as old as the file. */
export const readVehicleLine = (row: Row, now: Date, fileChanged: string): RowResult<VehicleRecord> => {
  if (row.issues.length > 0) return { rejected: [{ row, reasons: row.issues }] };
  const check = fieldChecks();
  const fields = check.object('', row.fields, RECORD_FIELDS);
  const record: Omit<VehicleRecord, 'registration'> & { registration: string | undefined } = {
    registration: check.registration('registration', fields.registration),
    vehicle: readDetails(
      check,
      check.object('vehicle', fields.vehicle, DETAIL_FIELDS),
      (field) => `vehicle.${field}`,
      now,
    ),
    policies: readPolicies(check, fields.policies),
    lastUpdated: fields.lastUpdated === undefined ? fileChanged : check.timestamp('lastUpdated', fields.lastUpdated),
  };
  const { registration } = record;
  if (registration === undefined || check.reasons.length > 0) return { rejected: [{ row, reasons: check.reasons }] };
  return { record: { ...record, registration } };
};

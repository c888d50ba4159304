import { MAX_POLICIES, type Policy, VehicleDetails, type VehicleRecord } from '../../../../core/vehicles/record.ts';
import { type FileContext, type GroupResult, MAX_GROUP_ROWS, type RowGroup } from '../../file-command/file-command.ts';
import { fileTime } from '../records/field-checks.ts';
import { readVehicleRow, type VehicleRow } from './csv-vehicle-row.ts';

const DETAILS = Object.keys(VehicleDetails.properties) as (keyof VehicleDetails)[];
const TOO_MANY_ROWS = `a vehicle has at most ${MAX_GROUP_ROWS.toLocaleString('en-GB')} rows`;

/** Adds reasons to rows whose details differ from those of the first valid row. */
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

/**
 * One vehicle from its rows, a policy each; when one row is rejected, all are: a record without one of its policies would be
 * wrong. Without a `last_updated` the record gets the modification time of the file.
 */
export const readVehicle = (
  { key: registration, rows: group, isPart }: RowGroup,
  context: FileContext,
): GroupResult<VehicleRecord> => {
  if (isPart) return { rejected: group.map((row) => ({ row, reasons: [...row.issues, TOO_MANY_ROWS] })) };
  const rows = group.map((row) => readVehicleRow(row, registration, context));
  rejectContradictions(rows);
  const policies = readPolicies(rows);
  const [first] = rows;
  const bad = rows.find(({ reasons }) => reasons.length > 0);
  if (bad || first === undefined || registration === undefined) {
    const whole = `rejected with line ${bad?.row.line}, which is the same vehicle`;
    return { rejected: rows.map(({ row, reasons }) => ({ row, reasons: reasons.length > 0 ? reasons : [whole] })) };
  }
  const [lastUpdated = fileTime(context)] = rows
    .flatMap((row) => row.lastUpdated ?? [])
    .sort()
    .reverse();
  return { rejected: [], record: { registration, vehicle: first.details, policies, lastUpdated } };
};

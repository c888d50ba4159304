import {
  MAX_POLICIES,
  type Policy,
  type VehicleDetails,
  type VehicleRecord,
} from '../../../../core/vehicles/record.ts';
import { type FileRun, type GroupResult, MAX_GROUP_ROWS, type RowGroup } from '../../file-command/file-command.ts';
import type { RejectedRow } from '../../files/row.ts';
import { fileTime } from '../records/field-checks.ts';
import { readVehicleRow, type VehicleRow } from './csv-vehicle-row.ts';

const DETAILS = ['make', 'model', 'year', 'color'] as const satisfies readonly (keyof VehicleDetails)[];

/** Rejects rows whose details differ from those of the first valid row. */
const rejectContradictions = (rows: readonly VehicleRow[]): void => {
  const valid = rows.filter(({ reasons }) => reasons.length === 0);
  const [first] = valid;
  for (const { details, reasons } of valid.slice(1)) {
    for (const field of DETAILS) {
      if (first && details[field] !== first.details[field]) {
        reasons.push(`${field}: is not the same as on line ${first.row.line}, which is the same vehicle`);
      }
    }
  }
};

const rejectRepeatedPolicies = (rows: readonly VehicleRow[]): void => {
  const lines = new Map<string, number>();
  for (const { row, policy, reasons } of rows) {
    if (policy === undefined) continue;
    const earlier = lines.get(policy.number);
    if (earlier === undefined) lines.set(policy.number, row.line);
    else if (policy.number !== '') reasons.push(`policy_number: is the same as on line ${earlier}`);
  }
};

const policiesOf = (rows: readonly VehicleRow[]): Policy[] => rows.flatMap(({ policy }) => policy ?? []);

const rejectSurplusPolicies = (rows: readonly VehicleRow[]): void => {
  for (const { reasons } of rows.filter(({ policy }) => policy !== undefined).slice(MAX_POLICIES)) {
    reasons.push(`a vehicle has at most ${MAX_POLICIES} policies`);
  }
};

const TOO_MANY_ROWS = `a vehicle has at most ${MAX_GROUP_ROWS.toLocaleString('en-GB')} rows`;

/** When one row of a vehicle is rejected, all are: a record without one of its policies would be wrong. */
const rejectWhole = (rows: readonly VehicleRow[]): RejectedRow[] => {
  const rejectedLine = rows.find(({ reasons }) => reasons.length > 0)?.row.line ?? 0;
  return rows.map(({ row, reasons }) => ({
    row,
    reasons: reasons.length > 0 ? reasons : [`rejected with line ${rejectedLine}, which is the same vehicle`],
  }));
};

const latest = (rows: readonly VehicleRow[]): string | undefined =>
  rows
    .flatMap(({ lastUpdated }) => lastUpdated ?? [])
    .sort()
    .at(-1);

/**
 * One vehicle from its rows, a policy each; when one row is rejected, all are. Without a `last_updated` the record gets the
 * modification time of the file.
 */
export const readVehicle = (
  { key: registration, rows: group, isPart }: RowGroup,
  run: FileRun,
): GroupResult<VehicleRecord> => {
  if (isPart) return { rejected: group.map((row) => ({ row, reasons: [...row.issues, TOO_MANY_ROWS] })) };
  const rows = group.map((row) => readVehicleRow(row, registration, run));
  rejectContradictions(rows);
  rejectRepeatedPolicies(rows);
  rejectSurplusPolicies(rows);
  const [first] = rows;
  if (registration === undefined || first === undefined || rows.some(({ reasons }) => reasons.length > 0)) {
    return { rejected: rejectWhole(rows) };
  }
  return {
    rejected: [],
    record: {
      registration,
      vehicle: first.details,
      policies: policiesOf(rows),
      lastUpdated: latest(rows) ?? fileTime(run),
    },
  };
};

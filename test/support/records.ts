import type { SuppliedVehicle } from '../../admin/records/vehicle-parts.ts';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { type Plans, windowAt } from '../../core/access/plans.ts';
import type { ComplianceRecord } from '../../core/compliance/compliance-record.ts';
import type { Policy, VehicleRecord } from '../../core/vehicles/vehicle-record.ts';

/** A summer noon: in London it is 13:00, and the window ends in 50 s. */
export const NOON = Date.parse('2026-06-15T12:00:10.000Z');

/** The plans of tests, so that no test changes with the default plans. */
export const TEST_PLANS = {
  free: { requestsPerWindow: 60, bulkSize: 100 },
  standard: { requestsPerWindow: 600, bulkSize: 500 },
  premium: { requestsPerWindow: 6_000, bulkSize: 1_000 },
} as const satisfies Plans;

/** The environment of functions and of the command line with these plans. */
export const PLANS_VARIABLE = { PLANS: JSON.stringify(TEST_PLANS) };

/** A policy over the test's day unless said otherwise. */
export const aPolicy = (fields: Partial<Policy> = {}): Policy => ({
  number: 'POL-1',
  insurer: 'Acme Mutual',
  validFrom: '2026-01-01',
  validTo: '2026-12-31',
  type: 'Comprehensive',
  ...fields,
});

/** An insured vehicle under its normalised registration. */
export const aVehicle = (registration: string, policies: readonly Policy[] = [aPolicy()]): VehicleRecord => ({
  registration,
  vehicle: { make: 'Škoda', model: 'Octavia', year: 2021, color: 'Green' },
  policies,
  lastUpdated: '2026-01-02T03:04:05.000Z',
});

/** The same vehicle as it is stored when three suppliers share its policies, one of them without a name. */
export const suppliedByThree = ({ vehicle, policies, lastUpdated, ...record }: VehicleRecord): SuppliedVehicle => {
  const names = ['-', 'acme', 'zeta'];
  return {
    ...record,
    vehicle,
    policies: policies.map((policy, nth) => ({ ...policy, ...(nth > 0 && { supplier: names[nth] ?? 'zeta' }) })),
    lastUpdated,
    supplied: Object.fromEntries(names.map((name) => [name, { lastUpdated, vehicle }])),
  };
};

/** A record that passes every check at `NOON`. */
export const aCompliance = (registration: string, fields: Partial<ComplianceRecord> = {}): ComplianceRecord => ({
  registration,
  mot: { dueDate: '2026-12-01' },
  roadTax: { paidUntil: '2026-12-01' },
  fines: { outstanding: 0 },
  ...fields,
});

/** What a key has used of a window. Default: the window of `NOON`. */
export const aCounter = (key: string, used: number, at = NOON) => {
  const { start, end } = windowAt(new Date(at));
  return { keyId: keyIdOf(hashKey(key), 'live'), windowStart: start, used, expiresAt: end + 90_000 };
};

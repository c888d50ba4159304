/** Files for tests of the import, and their rows. */
import { aCompliance, aVehicle } from './records.ts';

const VALID = {
  registration: 'AB12 CDE',
  make: 'Ford',
  model: 'Fiesta',
  year: '2019',
  color: 'Red',
  policy_number: 'P-1',
  insurer: 'Acme Mutual',
  valid_from: '2026-01-01',
  valid_to: '2026-12-31',
  policy_type: 'Comprehensive',
  last_updated: '2026-01-02T03:04:05Z',
};

export const VEHICLE_HEADER = Object.keys(VALID).join(',');

export type VehicleCells = Partial<Record<keyof typeof VALID, string>>;

/** A valid row, but for the cells that are given. */
export const vehicleRow = (cells: VehicleCells = {}): string => Object.values({ ...VALID, ...cells }).join(',');

export const vehiclesCsv = (...rows: string[]): string => [VEHICLE_HEADER, ...rows, ''].join('\n');

/** A valid NDJSON vehicle, but for the fields that are given. */
export const vehicleLine = (fields: object = {}): string => JSON.stringify({ ...aVehicle('AB12 CDE'), ...fields });

/** More than are in flight at a time: an interrupted import stops in the middle. */
export const VEHICLES = 120;

/** A CSV of vehicles whose registrations begin alike, with one policy each unless more are asked for. */
export const manyVehicles = (prefix: string, vehicles = VEHICLES, policies = 1): string =>
  vehiclesCsv(
    ...Array.from({ length: vehicles * policies }, (_, row) =>
      vehicleRow({ registration: `${prefix}${Math.floor(row / policies)}`, policy_number: `P-${row % policies}` }),
    ),
  );

export const COMPLIANCE_HEADER = 'registration,mot_due,mot_exempt,tax_paid_until,tax_exempt,sorn,outstanding_fines';

/** A valid NDJSON compliance record, but for the fields that are given. */
export const complianceLine = (fields: object = {}): string => {
  const { fines, ...record } = aCompliance('C1');
  return JSON.stringify({ ...record, outstandingFines: fines?.outstanding, ...fields });
};

export const ITEM_IDS = [1, 2, 3].map((n) => `11111111-2222-4333-8444-55555555555${n}`) as [string, string, string];

/** A valid NDJSON content item. */
export const itemLine = (slug: string, fields: object = {}): string =>
  JSON.stringify({ title: 'T', content: 'C', domain: 'a.example', slug, ...fields });

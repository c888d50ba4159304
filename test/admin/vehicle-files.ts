/** Small vehicle files for tests of the import. */
export const VEHICLE_HEADER =
  'registration,make,model,year,color,policy_number,insurer,valid_from,valid_to,policy_type,last_updated';

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

export type VehicleCells = Partial<Record<keyof typeof VALID, string>>;

/** A valid row, but for the cells that are given. */
export const vehicleRow = (cells: VehicleCells = {}): string => Object.values({ ...VALID, ...cells }).join(',');

export const vehiclesCsv = (...rows: string[]): string => [VEHICLE_HEADER, ...rows, ''].join('\n');

/** A valid NDJSON vehicle, but for the fields that are given. */
export const vehicleLine = (fields: Record<string, unknown> = {}): string =>
  JSON.stringify({
    registration: 'AB12 CDE',
    vehicle: { make: 'Ford', model: 'Fiesta', year: 2019, color: 'Red' },
    policies: [
      { number: 'P-1', insurer: 'Acme', validFrom: '2026-01-01', validTo: '2026-12-31', type: 'Comprehensive' },
    ],
    lastUpdated: '2026-01-02T03:04:05.000Z',
    ...fields,
  });

/** Policies of each vehicle that stands among many. */
export const POLICIES = 3;
/** Several times what is read at a time: an interrupted import stops in the middle, within a vehicle. */
export const VEHICLES = 1_000;

const policyRows = (registration: string): string[] =>
  Array.from({ length: POLICIES }, (_, index) => vehicleRow({ registration, policy_number: `P-${index}` }));

/** A long CSV of vehicles whose registrations begin alike, and of more rows after them. */
export const manyVehicles = (prefix: string, ...more: string[]): string =>
  vehiclesCsv(...Array.from({ length: VEHICLES }, (_, index) => policyRows(`${prefix}${index}`)).flat(), ...more);

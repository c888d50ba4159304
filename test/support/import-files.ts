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

/** Names of the column of registrations, as people write them. */
const NAMES = ['REG', 'Reg. No.', 'registration_number', 'Vehicle Registration', 'VRM', 'vrn', 'Number Plate'];

/** A CSV file as it is on the disk. */
type Written = (csv: string) => string | Buffer;

/**
 * The forms in which offices have CSV files, and how a CSV with commas, line feeds, a column `registration` and Latin-1
 * is written in each. `import`, `remove` and the client's `check` read all of them. Every other encoding, delimiter and
 * line end: test/unit/admin/import/right-or-refused.test.ts.
 */
export const CSV_FORMS: [form: string, written: Written][] = [
  ['a sep= line', (csv) => `sep=|\r\n${csv.replaceAll(',', '|')}`],
  ['a sep= line that was saved again', (csv) => `"sep=;"${';'.repeat(10)}\r\n${csv.replaceAll(',', ';')}`],
  ['a byte order mark, CRLF and blank lines', (csv) => `\uFEFF${csv.replaceAll('\n', '\r\n\r\n')}`],
  ['rows of empty cells', (csv) => csv.replaceAll('\n', '\n,\n , \n')],
  ['carriage returns, then line feeds', (csv) => csv.replace('\n', '\r')],
  ['each cell quoted', (csv) => csv.replace(/[^,\n]+/g, '"$&"')],
  ['UTF-16, little endian', (csv) => Buffer.from(`\uFEFF${csv.replaceAll(',', '\t')}`, 'utf16le')],
  ['Windows-1252', (csv) => Buffer.from(csv, 'latin1')],
  ['Windows-1252 that ends without a line end', (csv) => Buffer.from(csv.trimEnd(), 'latin1')],
  ...NAMES.map((name): [string, Written] => [
    `the registration as ${name}`,
    (csv) => csv.replace('registration', name),
  ]),
];

/** Headers with two columns that could be the registration. */
export const AMBIGUOUS_HEADERS = ['registration,Plate', 'Reg No,note,VRM'];

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ComplianceRecord } from '../core/compliance/record.ts';
import type { VehicleRecord } from '../core/vehicles/record.ts';
import { VEHICLE_COLUMNS } from '../lib/admin/import/vehicles.ts';
import { storeItems } from '../test/support/engine.ts';

const MODELS = [
  ['Ford', 'Fiesta'],
  ['Vauxhall', 'Corsa'],
  ['Volkswagen', 'Golf'],
  ['Škoda', 'Octavia'],
  ['Nissan', 'Qashqai'],
] as const;
const COLOURS = ['Blue', 'Silver', 'Black', 'White', 'Red', 'Grey'];
const INSURERS = ['Acme Mutual', 'Pennine Cover', 'Meridian Motor', 'Harbour Direct'];

const letter = (number: number): string => String.fromCharCode(65 + (number % 26));

/** Seven characters like `AA00AAA`, another one for each number below 45 million. */
export const generatedRegistration = (n: number): string => {
  const [a, b, c, d, e] = [n, n / 26, n / 676, n / 17_576, n / 45_697_600].map((part) => letter(Math.floor(part)));
  return `${a}${b}${String(Math.floor(n / 456_976) % 100).padStart(2, '0')}${c}${d}${e}`;
};

/** A vehicle with one policy in force in 2026, another one for each number. */
export const generatedVehicle = (n: number): VehicleRecord => {
  const [make, model] = MODELS[n % MODELS.length] ?? MODELS[0];
  const policy = {
    number: `POL-${String(n).padStart(8, '0')}`,
    insurer: INSURERS[n % INSURERS.length] ?? '',
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    type: 'Comprehensive',
  } as const;
  return {
    registration: generatedRegistration(n),
    vehicle: { make, model, year: 2000 + (n % 26), color: COLOURS[n % COLOURS.length] ?? '' },
    policies: [policy],
    lastUpdated: '2026-01-02T03:04:05.000Z',
  };
};

/** Its compliance record: all papers in order. */
export const generatedCompliance = (n: number): ComplianceRecord => ({
  registration: generatedRegistration(n),
  mot: { dueDate: '2026-12-31' },
  roadTax: { paidUntil: '2026-12-31' },
  outstandingFines: 0,
  lastUpdated: '2026-01-02T03:04:05.000Z',
});

/** Stores the first so many generated records. */
export const loadGenerated = (
  db: DynamoDBDocumentClient,
  table: string,
  count: number,
  generated: (n: number) => object = generatedVehicle,
): Promise<void> =>
  storeItems(
    db,
    table,
    Array.from({ length: count }, (_, n) => generated(n)),
  );

const rowOf = (n: number): string => {
  const { registration, vehicle, policies, lastUpdated } = generatedVehicle(n);
  const [policy] = policies;
  const cells = [registration, ...Object.values(vehicle), ...Object.values(policy ?? {}), lastUpdated];
  return `${cells.join(',')}\n`;
};

const ROWS_PER_CHUNK = 1_000;

function* chunks(rows: number): Generator<string> {
  yield `${VEHICLE_COLUMNS.required.concat(VEHICLE_COLUMNS.optional).join(',')}\n`;
  for (let start = 0; start < rows; start += ROWS_PER_CHUNK) {
    yield Array.from({ length: Math.min(ROWS_PER_CHUNK, rows - start) }, (_, n) => rowOf(start + n)).join('');
  }
}

/** Writes generated vehicles as the CSV that `import vehicles` reads, a policy a row. */
export const writeVehiclesFile = (path: string, rows: number): Promise<void> =>
  pipeline(Readable.from(chunks(rows)), createWriteStream(path));

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { VEHICLE_COLUMNS } from '../../lib/admin/import/vehicles/csv-columns.ts';
import { generatedVehicle } from '../generated-vehicles.ts';

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

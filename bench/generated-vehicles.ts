/** Any number of vehicles, also as the CSV that `import vehicles` reads. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { VEHICLE_COLUMNS } from '../lib/admin/import/vehicles.ts';
import { aPolicy, aVehicle } from '../test/support/records.ts';

const letter = (number: number): string => String.fromCharCode(65 + (number % 26));

/** Seven characters like `AA00AAA`, another one for each number below 45 million. */
export const generatedRegistration = (n: number): string => {
  const [a, b, c, d, e] = [n, n / 26, n / 676, n / 17_576, n / 45_697_600].map((part) => letter(Math.floor(part)));
  return `${a}${b}${String(Math.floor(n / 456_976) % 100).padStart(2, '0')}${c}${d}${e}`;
};

function* lines(vehicles: number): Generator<string> {
  yield `${VEHICLE_COLUMNS.required.concat(VEHICLE_COLUMNS.optional).join(',')}\n`;
  for (let n = 0; n < vehicles; n += 1) {
    const policy = aPolicy({ number: `POL-${n}` });
    const { registration, vehicle, lastUpdated } = aVehicle(generatedRegistration(n));
    yield `${[registration, ...Object.values(vehicle), ...Object.values(policy), lastUpdated].join(',')}\n`;
  }
}

/** Writes a policy a row. */
export const writeVehiclesFile = (path: string, vehicles: number): Promise<void> =>
  pipeline(Readable.from(lines(vehicles)), createWriteStream(path));

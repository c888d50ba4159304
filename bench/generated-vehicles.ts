/** Any number of vehicles, also as the CSV that `import vehicles` reads. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { VEHICLE_COLUMNS } from '../admin/import/vehicle-rows.ts';
import { aPolicy, aVehicle } from '../test/support/records.ts';

const letter = (number: number): string => String.fromCharCode(65 + (number % 26));

/** Seven characters like `AA00AAA`, another one for each number below 45 million. */
export const generatedRegistration = (n: number): string => {
  const [a, b, c, d, e] = [n, n / 26, n / 676, n / 17_576, n / 45_697_600].map((part) => letter(Math.floor(part)));
  return `${a}${b}${String(Math.floor(n / 456_976) % 100).padStart(2, '0')}${c}${d}${e}`;
};

/** The nth vehicle. One of `changed` has another policy. */
export const generatedVehicle = (n: number, changed = 0) =>
  aVehicle(generatedRegistration(n), [aPolicy({ number: changed > 0 && n % changed === 0 ? `NEW-${n}` : `POL-${n}` })]);

function* lines(from: number, to: number, changed?: number): Generator<string> {
  yield `${VEHICLE_COLUMNS.required.concat(VEHICLE_COLUMNS.optional).join(',')}\n`;
  for (let n = from; n < to; n += 1) {
    const { registration, vehicle, policies, lastUpdated } = generatedVehicle(n, changed);
    const [policy = aPolicy()] = policies;
    yield `${[registration, ...Object.values(vehicle), ...Object.values(policy), lastUpdated].join(',')}\n`;
  }
}

/** Writes a policy a row, without the first `from` vehicles. */
export const writeVehiclesFile = (path: string, to: number, from = 0, changed?: number): Promise<void> =>
  pipeline(Readable.from(lines(from, to, changed)), createWriteStream(path));

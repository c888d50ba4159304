/** Lines per second and memory of a dry run on a file in the form of DVSA's; DVSA_LINES lines in place of ten million. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { generatedRegistration } from './generated-vehicles.ts';
import { runImport } from './import.ts';
import { prepareEngine } from './prepared-engine.ts';
import { grouped, type Measurement, table, temporaryFolder } from './report.ts';

const LINES = Number(process.env.DVSA_LINES ?? 10_000_000);
/** One line in so many has the tests of many years, about 20 kB; any other has about 300 bytes. */
const ONE_IN = 1_000;
const LONG_TESTS = 90;

const aTest = (nth: number) => ({
  completedDate: '2026-03-10 12:21:09',
  motTestNumber: 900_000_000_000 + nth,
  expiryDate: `20${String(27 - (nth % 27)).padStart(2, '0')}-03-10`,
  testResult: nth % 5 === 4 ? 'FAILED' : 'PASSED',
  odometerValue: '41230',
  defects: [],
});

function* lines(count: number): Generator<string> {
  for (let n = 0; n < count; n += 1) {
    const tests = Array.from({ length: n % ONE_IN === 0 ? LONG_TESTS : 1 }, (_, nth) => aTest(nth));
    const vehicle = { registration: generatedRegistration(n), make: 'FORD', model: 'FIESTA', fuelType: 'Petrol' };
    yield `${JSON.stringify({ ...vehicle, motTests: tests, last_update_date: '2026-03-11' })}\n`;
  }
}

const dryRun = async (file: string, count: number) => {
  await pipeline(Readable.from(lines(count)), createWriteStream(file));
  const { endpoint, close } = await prepareEngine();
  const { seconds, read, peakMegabytes } = await runImport('mot', endpoint, file, '--format', 'dvsa', '--dry-run');
  await close();
  return [grouped(read), grouped(read / seconds), grouped(peakMegabytes)];
};

const measure: Measurement = async () => {
  const file = join(temporaryFolder(), 'bulk.json');
  const rows = [await dryRun(file, LINES / 10), await dryRun(file, LINES)];
  return [table(['lines', 'lines a second', 'peak MB'], rows)];
};
export default measure;

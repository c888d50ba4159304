import { copyFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { storeItems } from '../../support/engine.ts';
import { aPolicy, aVehicle } from '../../support/records.ts';
import { commandLine, stagingFilesOf } from '../command-line.ts';
import { type VehicleCells, vehicleRow, vehiclesCsv } from '../import-files.ts';

const { file, engine, stored, countedRun, proxy, rejectedLines } = commandLine();

/** Enough vehicles for several batches of writes and several pages of staged rows. */
const VEHICLES = 260;
/** The numbers of each vehicle's policies before the import. */
const OLD = ['OLD'];

/** What is wrong with a row; the vehicle's other rows are valid. */
const BAD_CELLS: Readonly<Record<string, VehicleCells>> = {
  year: { year: 'x' },
  otherMake: { make: 'Seat' },
  repeatedPolicy: { policy_number: 'P-0' },
  columns: { make: 'Ford,Ka' },
};

interface FileRow {
  readonly vehicle: number;
  readonly policy: number;
  readonly bad: string | undefined;
}

const vehicleSpec = fc.record({
  rows: fc.oneof({ weight: 30, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.constantFrom(20, 21)),
  bad: fc.option(fc.constantFrom(...Object.keys(BAD_CELLS)), { freq: 8, nil: undefined }),
});

/** Vehicles of one or more rows, in any order. Two kinds of bad rows are only wrong beside another: none is a first row. */
const fileRows: fc.Arbitrary<FileRow[]> = fc
  .array(vehicleSpec, { minLength: VEHICLES, maxLength: VEHICLES })
  .map((specs) =>
    specs.flatMap(({ rows, bad }, vehicle) =>
      Array.from({ length: rows }, (_, policy) => ({
        vehicle,
        policy,
        bad: policy > 0 && policy === rows - 1 ? bad : undefined,
      })),
    ),
  )
  .chain((rows) => fc.shuffledSubarray(rows, { minLength: rows.length }));

/** How each run but the last one ends: at which batch of writes, and how. */
const stop = fc.record({ batch: fc.integer({ min: 1, max: 20 }), by: fc.constantFrom('kill', 'error', 'Ctrl-C') });

/** The model: rows by registration, and all of a vehicle or none. */
const expectedOf = (rows: readonly FileRow[]) => {
  const vehicles = [...Map.groupBy(rows, ({ vehicle }) => vehicle)];
  const isWhole = (own: readonly FileRow[]) => own.length <= 20 && own.every(({ bad }) => bad === undefined);
  const rejected = new Set(vehicles.flatMap(([, own]) => (isWhole(own) ? [] : own)));
  return {
    policies: new Map(
      vehicles.map(([vehicle, own]) => [vehicle, isWhole(own) ? own.map(({ policy }) => `P-${policy}`) : OLD]),
    ),
    rejectedLines: rows.flatMap((row, index) => (rejected.has(row) ? [index + 2] : [])),
  };
};

let files = 0;

/** A file and its older records, under registrations that no other file has. */
const prepare = async (rows: readonly FileRow[]) => {
  files += 1;
  const prefix = `F${files}V`;
  const policies = OLD.map((number) => aPolicy({ number }));
  const older = Array.from({ length: VEHICLES }, (_, vehicle) => aVehicle(`${prefix}${vehicle}`, policies));
  await storeItems(engine().client, engine().names.vehicles, older);
  const cells = rows.map(({ vehicle, policy, bad = '' }) =>
    vehicleRow({ registration: `${prefix}${vehicle}`, policy_number: `P-${policy}`, ...BAD_CELLS[bad] }),
  );
  return { prefix, path: await file('v.csv', vehiclesCsv(...cells)) };
};

/** The numbers of the policies of each vehicle as they are stored. */
const storedPolicies = async (prefix: string): Promise<Map<number, string[]>> => {
  const own = (await stored()).filter(({ registration }) => registration.startsWith(prefix));
  const numbers = ({ policies }: (typeof own)[number]) => policies.map(({ number }) => number);
  return new Map(own.map((record) => [Number(record.registration.slice(prefix.length)), numbers(record)]));
};

/** The database of a staging file, and its log. */
const PARTS = ['', '-wal'];

/** A run that ends at a batch. A kill leaves the staging file as it was at that moment; batches in flight may be stored. */
const stoppedRun = async (args: readonly string[], path: string, { batch, by }: { batch: number; by: string }) => {
  const interruption = new AbortController();
  let staging: string | undefined;
  let batches = 0;
  proxy().inject(({ operation }) => {
    if (operation !== 'BatchWriteItem') return undefined;
    batches += 1;
    if (batches === batch) {
      [staging] = stagingFilesOf(path);
      for (const part of PARTS) copyFileSync(`${staging}${part}`, `${path}${part}.copy`);
      if (by === 'Ctrl-C') interruption.abort();
    }
    return batches > batch && by !== 'Ctrl-C' ? 'deny' : undefined;
  });
  await countedRun(args, { signal: interruption.signal });
  proxy().reset();
  if (by !== 'kill' || batches < batch) return;
  for (const part of ['-shm', ...PARTS]) await rm(`${staging}${part}`, { force: true });
  for (const part of PARTS) await rename(`${path}${part}.copy`, `${staging}${part}`);
};

it('An import stores each vehicle whole or not at all, in any order of rows, wherever it is stopped and continued', async () => {
  await fc.assert(
    fc.asyncProperty(fileRows, fc.array(stop, { maxLength: 3 }), async (rows, stops) => {
      const { prefix, path } = await prepare(rows);
      const expected = expectedOf(rows);
      const args = ['import', 'vehicles', path];
      for (const each of stops) {
        await stoppedRun(args, path, each);
        for (const [vehicle, policies] of await storedPolicies(prefix)) {
          expect([OLD, expected.policies.get(vehicle)]).toContainEqual(policies);
        }
      }
      expect((await countedRun(args)).exitCode).toBe(expected.rejectedLines.length > 0 ? 1 : 0);
      expect(await storedPolicies(prefix)).toEqual(expected.policies);
      expect((await rejectedLines(path)).map(({ line }) => line)).toEqual(expected.rejectedLines);
      expect(stagingFilesOf(path)).toEqual([]);
    }),
    // Without shrinking, which would import for minutes.
    { numRuns: 6, endOnFailure: true },
  );
});

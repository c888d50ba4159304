/** Imports, removals and erasures of vehicles, with the commands of the CLI, and lookups of an erased one. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Runner } from '../../admin/deployment/deployment.ts';
import { addEraseCommand } from '../../admin/erase-command.ts';
import { addImportCommands } from '../../admin/import/import-commands.ts';
import { addRemoveCommands } from '../../admin/remove-commands.ts';
import { complianceTable } from '../../core/compliance/compliance-table.ts';
import { requireRegistration } from '../../core/vehicles/registration.ts';
import { vehiclesTable } from '../../core/vehicles/vehicles-table.ts';
import { complianceLine, vehicleLine } from '../support/import-files.ts';
import { type StoredState, TABLES } from './engine.ts';
import { beside, type Caller, eachWithEach, type Operation, type Pair, resultOf, runCli } from './operation.ts';
import { alone } from './run-side.ts';

const COUNTS = 'loaded unchanged kept removed notThere erased rejected damaged undone'.split(' ');

const addCommands = (program: Command, run: Runner): void => {
  addImportCommands(program, run);
  addRemoveCommands(program, run);
  addEraseCommand(program, run);
};

const folder = await mkdtemp(join(tmpdir(), 'orders-'));

/** A file of vehicles of one colour each. Only `GONE1` differs between files: an import changes records one by one. */
const fileOf = async (name: string, day: number, colours: Readonly<Record<string, string>>): Promise<string> => {
  const path = join(folder, `${name}.ndjson`);
  const lines = Object.entries(colours).map(([registration, color]) =>
    vehicleLine({
      registration,
      vehicle: { make: 'Ford', model: '', year: 2019, color },
      lastUpdated: `2026-06-0${registration === 'GONE1' ? day : 1}T00:00:00Z`,
    }),
  );
  await writeFile(path, lines.join('\n'));
  return path;
};

const before = await fileOf('before', 1, { GONE1: 'Red', BOTH1: 'Red' });
const without = await fileOf('without', 2, { BOTH1: 'Red' });
const blue = await fileOf('blue', 3, { GONE1: 'Blue', BOTH1: 'Red' });
const green = await fileOf('green', 2, { GONE1: 'Green' });
const once = await fileOf('once', 1, { GONE1: 'Red' });
const acme = await fileOf('acme', 4, { GONE1: 'Black' });
const zeta = await fileOf('zeta', 5, { BOTH1: 'Red' });
const registrations = join(folder, 'registrations.txt');
await writeFile(registrations, 'GONE1');

const command = (name: string, ...args: readonly string[]): Operation => ({
  name,
  inOrder: true,
  requests: [
    async (caller) => {
      const data = await runCli(addCommands, caller, ...args);
      return Object.fromEntries(COUNTS.map((count) => [count, (data as Record<string, unknown>)[count]]));
    },
  ],
});

/** What is stored when these have succeeded one after the other. */
const storedAfter = async (digit: string, operations: readonly Operation[], initial?: StoredState) => {
  const requests = operations.flatMap((operation) => operation.requests);
  const { outcomes, stored } = await alone(digit, requests, initial);
  for (const outcome of outcomes) resultOf(outcome);
  return stored;
};

/** Two vehicles. One of them is in every file. */
const twoVehicles = await storedAfter('e', [command('', 'import', 'vehicles', before)]);

/** The same two vehicles, both supplied by zeta too, and one by acme. */
const suppliedVehicles = await storedAfter(
  'f',
  [
    command('', 'import', 'vehicles', once, '--supplier', 'acme'),
    command('', 'import', 'vehicles', before, '--supplier', 'zeta'),
  ],
  twoVehicles,
);

const ANY = '--remove-at-most=100%';

const completeImports: readonly Operation[] = [
  command('complete import without it', 'import', 'vehicles', without, '--complete', ANY),
  command('complete import of another', 'import', 'vehicles', blue, '--complete', ANY),
];

const supplierImports: readonly Operation[] = [
  command('import of acme', 'import', 'vehicles', acme, '--supplier', 'acme'),
  command('complete import of zeta', 'import', 'vehicles', zeta, '--supplier', 'zeta', '--complete', ANY),
];

const supplierChanges: readonly Operation[] = [
  command('import without a name', 'import', 'vehicles', green),
  command('import of acme --if-newer', 'import', 'vehicles', green, '--supplier', 'acme', '--if-newer'),
  command('remove --all of acme', 'remove', 'vehicles', '--all', '--supplier', 'acme'),
];

const otherChanges: readonly Operation[] = [
  command('import --if-newer', 'import', 'vehicles', green, '--if-newer'),
  command('import of another file', 'import', 'vehicles', green),
  command('remove', 'remove', 'vehicles', registrations),
];

const fines = join(folder, 'fines.ndjson');
await writeFile(fines, complianceLine({ registration: 'GONE1', outstandingFines: 3 }));
const restored = join(folder, 'restored.ndjson');
await writeFile(
  restored,
  JSON.stringify({ registration: 'GONE1', erased: { at: '2026-05-01T00:00:00.000Z', by: 'restored' } }),
);

/** As `suppliedVehicles`, and one has a compliance record. */
const withCompliance = await storedAfter('g', [command('', 'import', 'compliance', fines)], suppliedVehicles);

/** One of the two vehicles is erased. */
const withErased = await storedAfter('h', [command('', 'erase', '--registration', 'GONE1')], withCompliance);

const erasureChanges: readonly Operation[] = [
  command('erase', 'erase', '--registration', 'GONE1'),
  command('erase of a file', 'erase', registrations),
  command('erase --undo', 'erase', '--undo', '--registration', 'GONE1'),
  command('restored erasure', 'import', 'vehicles', restored, '--restore'),
];

const GONE = requireRegistration('GONE1');
const lookup = (name: string, request: (caller: Caller) => Promise<unknown>): Operation => ({
  name: `lookup ${name}`,
  requests: [request],
});

const besideErasures: readonly Operation[] = [
  ...completeImports,
  ...supplierImports,
  ...supplierChanges,
  ...otherChanges,
  command('import of compliance', 'import', 'compliance', fines),
  command('restored vehicle', 'import', 'vehicles', once, '--restore'),
  command('remove compliance', 'remove', 'compliance', registrations),
  command('remove --registration', 'remove', 'vehicles', '--registration', 'GONE1'),
  lookup('of insurance', ({ db }) => vehiclesTable(db, TABLES.vehicles).find(GONE)),
  lookup('of compliance', ({ db, moment }) => complianceTable(db, TABLES).findWithVehicle(GONE, moment.deadline)),
];

export const recordPairs: readonly Pair[] = [
  ...eachWithEach(completeImports, twoVehicles),
  ...beside(completeImports, otherChanges, twoVehicles),
  ...eachWithEach(otherChanges, twoVehicles),
  ...eachWithEach(supplierImports, suppliedVehicles),
  ...beside(supplierImports, [...supplierChanges, ...otherChanges.slice(2)], suppliedVehicles),
  ...[withCompliance, withErased].flatMap((initial) => [
    ...eachWithEach(erasureChanges, initial),
    ...beside(erasureChanges, besideErasures, initial),
  ]),
];

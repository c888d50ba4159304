import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleComplianceRecords, sampleVehicleRecords } from '../../local/sample-database.ts';
import { runCommand } from '../support/program.ts';
import type { Keys } from './http-caller.ts';

/** Runs the operator CLI on the target and returns its standard output. @throws when it fails */
export type Admin = (...args: string[]) => Promise<string>;

const PROGRAM = join(import.meta.dirname, '../../bin/admin.ts');

/** The operator CLI in a process of its own, always with the same options, as `--stack NAME`. */
export const adminProcess =
  (options: readonly string[], env: NodeJS.ProcessEnv, accepted: readonly number[] = [0]): Admin =>
  (...args) =>
    runCommand(process.execPath, [PROGRAM, ...args, ...options], { env, accepted });

const loadSamples = async (admin: Admin, today: Date): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'black-box-'));
  const samples = { vehicles: sampleVehicleRecords(today), compliance: sampleComplianceRecords(today) };
  for (const [kind, records] of Object.entries(samples)) {
    const file = join(folder, `${kind}.ndjson`);
    await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    // Each part of a sample has an update of its own, as only an export has.
    await admin('import', kind, file, ...(kind === 'compliance' ? ['--restore'] : []));
  }
  await rm(folder, { recursive: true });
};

/** Creates a key with the operator CLI. */
export const createKey = async (admin: Admin, plan: string, ...more: string[]): Promise<{ id: string; key: string }> =>
  JSON.parse(await admin('keys', 'create', '--name', 'Black box', '--plan', plan, '--json', ...more));

/** Loads the sample vehicles and creates the keys of the tests, all with the operator CLI. */
export const prepareTarget = async (admin: Admin, today: Date): Promise<Keys> => {
  await loadSamples(admin, today);
  const [premium, vehiclesOnly, elsewhere, free, revoked] = [
    await createKey(admin, 'premium'),
    await createKey(admin, 'premium', '--scopes', 'vehicles:read'),
    await createKey(admin, 'premium', '--addresses', '203.0.113.0/24,2001:db8::/32'),
    await createKey(admin, 'free'),
    await createKey(admin, 'premium'),
  ];
  await admin('keys', 'revoke', revoked.id);
  return {
    premium: premium.key,
    vehiclesOnly: vehiclesOnly.key,
    elsewhere: elsewhere.key,
    free: free.key,
    revoked: revoked.key,
  };
};

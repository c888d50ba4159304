import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleComplianceRecords, sampleVehicleRecords } from '../../local/sample-database.ts';
import { runCommand } from '../support/program.ts';

/** Runs the operator CLI on the target and returns its standard output. @throws when it fails */
export type Admin = (...args: string[]) => Promise<string>;

const PROGRAM = join(import.meta.dirname, '../../bin/admin.ts');

/** The operator CLI in a process of its own, always with the same options, as `--stack NAME`. */
export const adminProcess =
  (options: readonly string[], env: NodeJS.ProcessEnv): Admin =>
  (...args) =>
    runCommand(process.execPath, [PROGRAM, ...args, ...options], { env });

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

/** Loads the sample vehicles and creates a key for each kind of caller, all with the operator CLI. */
export const prepareTarget = async (admin: Admin, today: Date) => {
  await loadSamples(admin, today);
  const newKey = async (plan: string, ...more: string[]) => (await createKey(admin, plan, ...more)).key;
  const revoked = await createKey(admin, 'premium');
  await admin('keys', 'revoke', revoked.id);
  return {
    premium: await newKey('premium'),
    vehiclesOnly: await newKey('premium', '--scopes', 'vehicles:read'),
    /** Bound to addresses from which no test sends. */
    elsewhere: await newKey('premium', '--addresses', '203.0.113.0/24,2001:db8::/32'),
    /** 60 requests a window. */
    free: await newKey('free'),
    revoked: revoked.key,
  };
};

export type Keys = Awaited<ReturnType<typeof prepareTarget>>;

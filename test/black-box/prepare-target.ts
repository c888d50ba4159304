import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleComplianceRecords, sampleVehicleRecords } from '../../lib/local/sample-records.ts';
import type { Keys } from './api.ts';

/** Runs the operator CLI on the target and returns its standard output. @throws when it fails */
export type Admin = (...args: string[]) => Promise<string>;

const asLines = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

const loadSamples = async (admin: Admin, today: Date): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'black-box-'));
  try {
    for (const [kind, records] of [
      ['vehicles', sampleVehicleRecords(today)],
      ['compliance', sampleComplianceRecords(today)],
    ] as const) {
      const file = join(folder, `${kind}.ndjson`);
      await writeFile(file, asLines(records));
      await admin('import', kind, file);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** Makes a key with the operator CLI. */
export const createKey = async (admin: Admin, plan: string, ...more: string[]): Promise<{ id: string; key: string }> =>
  JSON.parse(await admin('keys', 'create', '--name', 'Black box', '--plan', plan, '--json', ...more));

/** Loads the README's sample vehicles and makes the keys that the checks use, all with the operator CLI. */
export const prepareTarget = async (admin: Admin, today: Date): Promise<Keys> => {
  await loadSamples(admin, today);
  const [premium, vehiclesOnly, free, revoked] = [
    await createKey(admin, 'premium'),
    await createKey(admin, 'premium', '--scopes', 'vehicles:read'),
    await createKey(admin, 'free'),
    await createKey(admin, 'premium'),
  ];
  await admin('keys', 'revoke', revoked.id);
  return { premium: premium.key, vehiclesOnly: vehiclesOnly.key, free: free.key, revoked: revoked.key };
};

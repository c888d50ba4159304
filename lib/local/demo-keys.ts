import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeyEnvironment, newApiKey, parseApiKey } from '../../core/access/api-key.ts';
import type { KeyRecord } from '../../core/access/key-record.ts';
import { PLAN_NAMES, type PlanName } from '../../core/access/plans.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import type { KeyStore } from '../key-management/key-store.ts';
import { PRIVATE_FILE } from './data-directory.ts';
import { CannotStart } from './options.ts';

/** For use on this machine: one live key per plan, and a test key, which sees the sandbox only. */
export type DemoKeys = Readonly<Record<PlanName | 'test', string>>;

type NewKey = Pick<KeyRecord, 'name' | 'plan'> & Partial<KeyRecord> & Pick<DemoKey, 'environment'>;

interface DemoKey {
  readonly name: keyof DemoKeys;
  readonly plan: PlanName;
  readonly environment: KeyEnvironment;
}

const DEMO_KEYS: readonly DemoKey[] = [
  ...PLAN_NAMES.map((plan) => ({ name: plan, plan, environment: 'live' }) as const),
  { name: 'test', plan: 'standard', environment: 'test' },
];

const FILE = 'demo-keys.json';

/** Adds a new key, with all scopes unless `record` has others, and returns it. */
export const addKey = async (keys: KeyStore, record: NewKey, now: Date): Promise<string> => {
  const { key, ...identity } = newApiKey(record.environment);
  await keys.add({ ...identity, scopes: SCOPES, createdAt: now.toISOString(), ...record });
  return key;
};

/** Whether a stored key is valid and of this plan. */
const isUsable = async (keys: KeyStore, key: unknown, plan: PlanName): Promise<boolean> => {
  const presented = typeof key === 'string' ? parseApiKey(key) : undefined;
  if (presented === undefined) return false;
  const record = await keys.find(presented.id);
  return record !== undefined && record.revokedAt === undefined && record.plan === plan;
};

/** The keys in the file; empty when there is no file or it holds anything else, so that new keys are created. */
const readStoredKeys = async (file: string): Promise<Record<string, unknown>> => {
  try {
    const stored: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof stored === 'object' && stored !== null ? { ...stored } : {};
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || error instanceof SyntaxError) return {};
    throw new CannotStart(`The demo keys in ${file} cannot be read (${code ?? name}): delete it to get new ones.`);
  }
};

/**
 * The demo keys. With a data directory they are stored in it, readable by its owner only, so that a script still works after
 * a restart. Without one they are created at each start. Only demo keys are stored in plain text; of real keys only hashes are.
 */
export const demoKeys = async (keys: KeyStore, now: Date, dataDirectory?: string): Promise<DemoKeys> => {
  const file = dataDirectory && join(dataDirectory, FILE);
  const stored = file ? await readStoredKeys(file) : {};
  const entries: [keyof DemoKeys, string][] = [];
  for (const demo of DEMO_KEYS) {
    const known = stored[demo.name];
    const isKept = await isUsable(keys, known, demo.plan);
    entries.push([demo.name, isKept ? String(known) : await addKey(keys, { ...demo, name: `Demo ${demo.name}` }, now)]);
  }
  const demo = Object.fromEntries(entries) as DemoKeys;
  if (file) await writeFile(file, `${JSON.stringify(demo, null, 2)}\n`, PRIVATE_FILE);
  return demo;
};

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyStore } from '../admin/keys/key-store.ts';
import { type KeyEnvironment, newApiKey, parseApiKey } from '../core/access/api-key.ts';
import type { KeyRecord } from '../core/access/key-record.ts';
import { PLAN_NAMES, type PlanName } from '../core/access/plans.ts';
import { SCOPES } from '../core/access/scopes.ts';
import { PRIVATE_FILE } from './data-directory.ts';
import { CannotStart } from './options.ts';

/** One live key per plan, and a test key, which sees the sandbox only. */
export type DemoKeys = Readonly<Record<PlanName | 'test', string>>;

type NewKey = Pick<KeyRecord, 'name' | 'plan'> & Partial<KeyRecord> & { readonly environment: KeyEnvironment };

const DEMO_KEYS = [
  ...PLAN_NAMES.map((plan) => ({ name: plan, plan, environment: 'live' }) as const),
  { name: 'test', plan: 'standard', environment: 'test' } as const,
];

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

/** The keys in the file; none when it is missing or has anything else. @throws CannotStart */
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

/** New keys, or with a data directory those that it has. Real keys are stored as hashes only. @throws CannotStart */
export const demoKeys = async (keys: KeyStore, now: Date, dataDirectory?: string): Promise<DemoKeys> => {
  const file = dataDirectory && join(dataDirectory, 'demo-keys.json');
  const stored = file ? await readStoredKeys(file) : {};
  const demo: Partial<Record<keyof DemoKeys, string>> = {};
  for (const { name, plan, environment } of DEMO_KEYS) {
    const known = stored[name];
    const isKept = await isUsable(keys, known, plan);
    demo[name] = isKept ? String(known) : await addKey(keys, { name: `Demo ${name}`, plan, environment }, now);
  }
  if (file) await writeFile(file, `${JSON.stringify(demo, null, 2)}\n`, PRIVATE_FILE);
  return demo as DemoKeys;
};

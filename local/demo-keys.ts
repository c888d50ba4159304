import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyStore } from '../admin/keys/key-store.ts';
import { type KeyEnvironment, newApiKey, parseApiKey } from '../core/access/api-key.ts';
import type { KeyRecord } from '../core/access/key-record.ts';
import { plansFrom } from '../core/access/plans.ts';
import { SCOPES } from '../core/access/scopes.ts';
import { plansVariable } from '../core/runtime/environment.ts';
import { PRIVATE_FILE } from './data-directory.ts';
import { CannotStart } from './options.ts';

/** Keys for trying the service. */
export interface DemoKeys {
  /** A live key for each plan. */
  readonly plans: Readonly<Record<string, string>>;
  /** Sees the sandbox only. */
  readonly test: string;
}

type NewKey = Pick<KeyRecord, 'name' | 'plan'> & Partial<KeyRecord> & { readonly environment: KeyEnvironment };

/** Adds a new key, with all scopes unless `record` has others, and returns it. */
export const addKey = async (keys: KeyStore, record: NewKey, now: Date): Promise<string> => {
  const { key, ...identity } = newApiKey(record.environment);
  await keys.add({ ...identity, scopes: SCOPES, createdAt: now.toISOString(), ...record });
  return key;
};

/** Whether a stored key is valid and of this plan. */
const isUsable = async (keys: KeyStore, key: unknown, plan: string): Promise<boolean> => {
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
  const keyFor = async (known: unknown, plan: string, environment: KeyEnvironment): Promise<string> => {
    if (await isUsable(keys, known, plan)) return String(known);
    return addKey(keys, { name: `Demo ${environment === 'test' ? 'test' : plan}`, plan, environment }, now);
  };
  const names = Object.keys(plansFrom(plansVariable()));
  const plans: Record<string, string> = {};
  for (const plan of names) {
    plans[plan] = await keyFor((stored.plans as Record<string, unknown> | undefined)?.[plan], plan, 'live');
  }
  const demo: DemoKeys = { plans, test: await keyFor(stored.test, names[0] ?? '', 'test') };
  if (file) await writeFile(file, `${JSON.stringify(demo, null, 2)}\n`, PRIVATE_FILE);
  return demo;
};

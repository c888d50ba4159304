import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyStore } from '../admin/keys/key-store.ts';
import { type KeyEnvironment, newApiKey } from '../core/access/api-key.ts';
import type { KeyRecord } from '../core/access/key-record.ts';
import { plansFrom } from '../core/access/plans.ts';
import { SCOPES } from '../core/access/scopes.ts';
import { optionalVariable } from '../core/runtime/environment.ts';
import { CannotStart } from './options.ts';

export interface DemoKeys {
  /** A live key for each plan. */
  readonly plans: Readonly<Record<string, string>>;
  /** A test key, which sees the sandbox only. */
  readonly test: string;
}

type NewKey = Pick<KeyRecord, 'name' | 'plan'> & Partial<KeyRecord> & { readonly environment: KeyEnvironment };

/** Adds a new key, with all scopes unless `record` has others, and returns it. */
export const addKey = async (keys: KeyStore, record: NewKey, now: Date): Promise<string> => {
  const { key, ...identity } = newApiKey(record.environment);
  await keys.add({ ...identity, scopes: SCOPES, createdAt: now.toISOString(), ...record });
  return key;
};

/** The keys in the file; none when there is no file. @throws CannotStart */
const readStoredKeys = async (file: string): Promise<Partial<DemoKeys>> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) ?? {};
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new CannotStart(`The demo keys in ${file} cannot be read (${message}): delete it to get new ones.`);
  }
};

/** New keys, or with a data directory those that it has. Real keys are stored as hashes only. @throws CannotStart */
export const demoKeys = async (keys: KeyStore, now: Date, dataDirectory?: string): Promise<DemoKeys> => {
  const file = dataDirectory && join(dataDirectory, 'demo-keys.json');
  const stored = file ? await readStoredKeys(file) : {};
  const create = (name: string, plan: string, environment: KeyEnvironment) =>
    addKey(keys, { name: `Demo ${name}`, plan, environment }, now);
  const names = Object.keys(plansFrom(optionalVariable('PLANS')));
  const plans: Record<string, string> = {};
  for (const plan of names) plans[plan] = stored.plans?.[plan] ?? (await create(plan, plan, 'live'));
  const demo: DemoKeys = { plans, test: stored.test ?? (await create('test', names[0] ?? '', 'test')) };
  if (file) await writeFile(file, `${JSON.stringify(demo, null, 2)}\n`);
  return demo;
};

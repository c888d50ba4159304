import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKey, hashKey, isWellFormedKey, keyIdOf } from '../../functions/access/api-key.ts';
import type { keysTable } from '../../functions/access/keys-table.ts';
import { PLAN_NAMES, type PlanName } from '../../functions/access/plans.ts';
import { SCOPES } from '../../functions/access/scopes.ts';
import { PRIVATE_FILE } from '../private-file.ts';
import { CannotStart } from './options.ts';

type Keys = ReturnType<typeof keysTable>;

/** One key per plan, for use on this machine. */
export type DemoKeys = Readonly<Record<PlanName, string>>;

const FILE = 'demo-keys.json';

const createDemoKey = async (keys: Keys, plan: PlanName, now: Date): Promise<string> => {
  const key = generateKey('test');
  const hash = hashKey(key);
  const record = { id: keyIdOf(hash), hash, name: `Demo ${plan}`, plan, scopes: SCOPES, environment: 'test' } as const;
  await keys.add({ ...record, createdAt: now.toISOString() });
  return key;
};

const isUsable = async (keys: Keys, key: unknown, plan: PlanName): Promise<boolean> => {
  if (typeof key !== 'string' || !isWellFormedKey(key)) return false;
  const record = await keys.find(keyIdOf(hashKey(key)));
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
export const demoKeys = async (keys: Keys, now: Date, dataDirectory?: string): Promise<DemoKeys> => {
  const file = dataDirectory && join(dataDirectory, FILE);
  const stored = file ? await readStoredKeys(file) : {};
  const entries: [PlanName, string][] = [];
  for (const plan of PLAN_NAMES) {
    const known = stored[plan];
    entries.push([plan, (await isUsable(keys, known, plan)) ? String(known) : await createDemoKey(keys, plan, now)]);
  }
  const demo = Object.fromEntries(entries) as DemoKeys;
  if (file) await writeFile(file, `${JSON.stringify(demo, null, 2)}\n`, PRIVATE_FILE);
  return demo;
};

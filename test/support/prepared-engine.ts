import { keyStore } from '../../admin/keys/key-store.ts';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { LOCAL_TABLE_NAMES as names } from '../../core/tables.ts';
import { addKey } from '../../local/demo-keys.ts';
import { applyEnvironment, localEnvironment } from '../../local/environment.ts';
import { openDatabase, prepareSampleDatabase } from '../../local/sample-database.ts';
import { type ForkedProcess, forkCall } from './fork.ts';

/** Tables, sample data and a premium key, on an engine in its own process. Sets this process's environment for it. */
export const prepareOn = async ({ result: { endpoint }, stop }: ForkedProcess<{ readonly endpoint: string }>) => {
  applyEnvironment(localEnvironment(endpoint, names));
  const { plans } = await prepareSampleDatabase(endpoint);
  const key = plans.premium ?? '';
  const db = openDatabase(endpoint);
  /** A live key of the premium plan with every scope. */
  const newKey = () =>
    addKey(keyStore(db, names.keys), { name: 'Another', plan: 'premium', environment: 'live' }, new Date());
  const close = async (): Promise<void> => {
    db.destroy();
    await stop();
  };
  return { db, key, keyId: keyIdOf(hashKey(key), 'live'), newKey, names, close };
};

/** An embedded engine, prepared. */
export const prepareEngine = async () => {
  const module = new URL('../../local/engine/embedded.ts', import.meta.url);
  return prepareOn(await forkCall(module, 'startEmbeddedEngine', [{ port: 0 }]));
};

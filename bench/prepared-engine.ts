import { keyStore } from '../admin/keys/key-store.ts';
import { hashKey, keyIdOf } from '../core/access/api-key.ts';
import { LOCAL_TABLE_NAMES as names } from '../core/tables.ts';
import { addKey } from '../local/demo-keys.ts';
import { applyEnvironment, localEnvironment } from '../local/environment.ts';
import { openDatabase, prepareSampleDatabase } from '../local/sample-database.ts';
import { forkCall } from './fork.ts';

const EMBEDDED_ENGINE = new URL('../local/engine/embedded.ts', import.meta.url);

/**
 * Starts an engine in a process of its own, by default the embedded one, and gives it tables, sample data and a premium
 * key. Sets this process's environment for it.
 */
export const prepareEngine = async <Result extends { readonly endpoint: string }>(
  module = EMBEDDED_ENGINE,
  start = 'startEmbeddedEngine',
) => {
  const { result, call, stop } = await forkCall<Result>(module, start, [{ port: 0 }]);
  applyEnvironment(localEnvironment(result.endpoint, names));
  const { plans } = await prepareSampleDatabase(result.endpoint);
  const key = plans.premium ?? '';
  const db = openDatabase(result.endpoint);
  return {
    ...result,
    call,
    db,
    key,
    keyId: keyIdOf(hashKey(key), 'live'),
    /** A live key with every scope. */
    newKey: (plan = 'premium') =>
      addKey(keyStore(db, names.keys), { name: 'Another', plan, environment: 'live' }, new Date()),
    names,
    close: async (): Promise<void> => {
      db.destroy();
      await stop();
    },
  };
};

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { generateKey, hashKey, keyIdOf } from '../../functions/access/api-key.ts';
import { type KeyRecord, keysTable } from '../../functions/access/keys-table.ts';
import { SCOPES } from '../../functions/access/scopes.ts';
import { createDatabase } from '../../functions/dynamodb/database.ts';
import { databaseFromEnvironment } from '../../functions/runtime/environment.ts';
import { LOCAL_TABLE_NAMES } from '../../functions/tables.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { applyEnvironment, localEnvironment } from '../../lib/local/environment.ts';
import { loadSampleVehicles } from '../../lib/local/load-sample-data.ts';
import type { Pace } from './paced-engine-process.ts';

const prepare = async (engineModule: string) => {
  const engine = fork(fileURLToPath(new URL(engineModule, import.meta.url)));
  const [endpoint] = (await once(engine, 'message')) as [string];
  applyEnvironment(localEnvironment(endpoint, LOCAL_TABLE_NAMES));
  const db = createDatabase(databaseFromEnvironment());
  await createTables(db, LOCAL_TABLE_NAMES);
  await loadSampleVehicles(db, LOCAL_TABLE_NAMES, new Date());
  const keys = keysTable(db, LOCAL_TABLE_NAMES.keys);

  /** A key of the premium plan with every scope, unless said otherwise. */
  const newKey = async (fields: Partial<KeyRecord> = {}): Promise<{ readonly key: string; readonly keyId: string }> => {
    const key = generateKey('test');
    const hash = hashKey(key);
    const keyId = keyIdOf(hash);
    const createdAt = new Date().toISOString();
    await keys.add({ id: keyId, hash, name: 'Benchmark', plan: 'premium', scopes: SCOPES, createdAt, ...fields });
    return { key, keyId };
  };
  const close = () => {
    db.destroy();
    engine.disconnect();
  };
  return { engine, prepared: { db, ...(await newKey()), newKey, names: LOCAL_TABLE_NAMES, close } };
};

/** An engine in another process with sample vehicles and a premium key, and this process's environment set for it. */
export const prepareEngine = async () => (await prepare('./engine-process.ts')).prepared;

/** The same engine behind a front that can be told a pace. */
export const preparePacedEngine = async () => {
  const { engine, prepared } = await prepare('./paced-engine-process.ts');
  return {
    ...prepared,
    setPace: async (pace: Pace): Promise<void> => {
      const told = once(engine, 'message');
      engine.send(pace);
      await told;
    },
  };
};

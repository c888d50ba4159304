import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import type { KeyRecord } from '../../core/access/keys-table.ts';
import { createDatabase } from '../../core/dynamodb/database.ts';
import { databaseFromEnvironment } from '../../core/runtime/environment.ts';
import { LOCAL_TABLE_NAMES as names } from '../../core/tables.ts';
import { keysTable } from '../../lib/admin/keys/keys-table.ts';
import { addKey } from '../../lib/local/demo-keys.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { applyEnvironment, localEnvironment } from '../../lib/local/environment.ts';
import { loadSampleVehicles } from '../../lib/local/sample-database.ts';
import { type Forked, forkCall } from './fork.ts';

/** Tables, sample vehicles and a premium key on an engine in a process of its own; sets this process's environment for it. */
export const prepareOn = async (engine: Forked<{ readonly endpoint: string }>) => {
  applyEnvironment(localEnvironment(engine.result.endpoint, names));
  const db = createDatabase(databaseFromEnvironment());
  await createTables(db, names);
  await loadSampleVehicles(db, names, new Date());
  /** A live key of the premium plan with every scope, by default. */
  const newKey = async (fields: Partial<KeyRecord> = {}): Promise<{ readonly key: string; readonly keyId: string }> => {
    const record = { name: 'Benchmark', plan: 'premium', environment: 'live', ...fields } as const;
    const key = await addKey(keysTable(db, names.keys), record, new Date());
    return { key, keyId: keyIdOf(hashKey(key)) };
  };
  const close = async (): Promise<void> => {
    db.destroy();
    await engine.stop();
  };
  return { db, ...(await newKey()), newKey, names, close };
};

/** An embedded engine, prepared. */
export const prepareEngine = async () => {
  const module = new URL('../../lib/local/engine/embedded.ts', import.meta.url);
  return prepareOn(await forkCall(module, 'startEmbeddedEngine', [{ port: 0 }]));
};

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { generateKey, hashKey, keyIdOf } from '../functions/access/api-key.ts';
import { keysTable } from '../functions/access/keys-table.ts';
import { SCOPES } from '../functions/access/scopes.ts';
import { createDatabase } from '../functions/runtime/dynamodb.ts';
import { databaseFromEnvironment } from '../functions/runtime/environment.ts';
import { LOCAL_TABLE_NAMES } from '../functions/tables.ts';
import { createTables } from '../lib/local/engine/create-tables.ts';
import { applyEnvironment, localEnvironment } from '../lib/local/environment.ts';
import { loadSampleVehicles } from '../lib/local/load-sample-data.ts';

/** An engine in another process with sample vehicles and a premium key, and this process's environment set for it. */
export const prepareEngine = async () => {
  const engine = fork(fileURLToPath(new URL('./engine-process.ts', import.meta.url)));
  const [endpoint] = (await once(engine, 'message')) as [string];
  applyEnvironment(localEnvironment(endpoint, LOCAL_TABLE_NAMES));
  const db = createDatabase(databaseFromEnvironment());
  await createTables(db, LOCAL_TABLE_NAMES);
  await loadSampleVehicles(db, LOCAL_TABLE_NAMES, new Date());
  const key = generateKey('test');
  const hash = hashKey(key);
  const createdAt = new Date().toISOString();
  await keysTable(db, LOCAL_TABLE_NAMES.keys).add({
    id: keyIdOf(hash),
    hash,
    name: 'Benchmark',
    plan: 'premium',
    scopes: SCOPES,
    createdAt,
  });
  const close = () => {
    db.destroy();
    engine.disconnect();
  };
  return { db, key, keyId: keyIdOf(hash), names: LOCAL_TABLE_NAMES, close };
};

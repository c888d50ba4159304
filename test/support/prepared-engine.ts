import { generateKey, hashKey, keyIdOf } from '../../core/access/api-key.ts';
import type { KeyRecord } from '../../core/access/keys-table.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import { createDatabase } from '../../core/dynamodb/database.ts';
import { databaseFromEnvironment } from '../../core/runtime/environment.ts';
import { LOCAL_TABLE_NAMES } from '../../core/tables.ts';
import { keysTable } from '../../lib/admin/keys/keys-table.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { applyEnvironment, localEnvironment } from '../../lib/local/environment.ts';
import { loadSampleVehicles } from '../../lib/local/sample-database.ts';
import { forkCall } from './fork.ts';
import type { Pace } from './paced-engine.ts';

const prepare = async <Engine extends { readonly endpoint: string }>(
  module: URL,
  start: string,
  ...args: readonly unknown[]
) => {
  const engine = await forkCall<Engine>(module, start, args);
  applyEnvironment(localEnvironment(engine.result.endpoint, LOCAL_TABLE_NAMES));
  const db = createDatabase(databaseFromEnvironment());
  await createTables(db, LOCAL_TABLE_NAMES);
  await loadSampleVehicles(db, LOCAL_TABLE_NAMES, new Date());
  const keys = keysTable(db, LOCAL_TABLE_NAMES.keys);

  /** A live key of the premium plan with every scope, by default. */
  const newKey = async (fields: Partial<KeyRecord> = {}): Promise<{ readonly key: string; readonly keyId: string }> => {
    const key = generateKey('live');
    const hash = hashKey(key);
    const keyId = keyIdOf(hash);
    const createdAt = new Date().toISOString();
    await keys.add({ id: keyId, hash, name: 'Benchmark', plan: 'premium', scopes: SCOPES, createdAt, ...fields });
    return { key, keyId };
  };
  const close = (): void => {
    db.destroy();
    void engine.stop();
  };
  return { engine, prepared: { db, ...(await newKey()), newKey, names: LOCAL_TABLE_NAMES, close } };
};

/** An engine in a process of its own with sample vehicles and a premium key; sets this process's environment for it. */
export const prepareEngine = async () => {
  const module = new URL('../../lib/local/engine/embedded.ts', import.meta.url);
  return (await prepare(module, 'startEmbeddedEngine', { port: 0 })).prepared;
};

/** The same engine with answers that take as long as `setPace` decides. */
export const preparePacedEngine = async () => {
  const { engine, prepared } = await prepare<{ readonly endpoint: string; readonly tlsEndpoint: string }>(
    new URL('./paced-engine.ts', import.meta.url),
    'startPacedEngine',
  );
  return {
    ...prepared,
    /** For a function that reaches the engine as it reaches DynamoDB; the certificate is self-signed. */
    overTls: { AWS_ENDPOINT_URL_DYNAMODB: engine.result.tlsEndpoint, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    setPace: async (pace: Pace): Promise<void> => {
      await engine.call('setPace', pace);
    },
  };
};

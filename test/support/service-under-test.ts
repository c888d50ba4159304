import { generateKey, hashKey, type KeyEnvironment, keyIdOf } from '../../core/access/api-key.ts';
import type { PlanName } from '../../core/access/plans.ts';
import { SCOPES, type Scope } from '../../core/access/scopes.ts';
import { keysTable } from '../../lib/admin/keys/keys-table.ts';
import { type AccessLogEntry, startGateway } from '../../lib/local/gateway/gateway.ts';
import { loadSampleContent, loadSampleVehicles } from '../../lib/local/sample-database.ts';
import { environmentOf, startEngine } from './engine.ts';

interface ServiceOptions {
  /** How much faster than time the gateway's clock runs; 0 stops it, and with it the window of the rate limits. */
  readonly clockRate: number;
  readonly onResponse: (entry: AccessLogEntry) => void;
}

/** The service with its sample data on free ports. `addKey` makes keys of any plan. */
export const startServiceUnderTest = async ({ clockRate, onResponse }: ServiceOptions) => {
  const engine = await startEngine();
  Object.assign(process.env, environmentOf(engine));
  const startedAt = Date.now();
  const clock = () => startedAt + (Date.now() - startedAt) * clockRate;
  const now = new Date(startedAt);
  await loadSampleVehicles(engine.client, engine.names, now);
  await loadSampleContent(engine.client, engine.names, now);
  const keys = keysTable(engine.client, engine.names.keys);
  const addKey = async (
    plan: PlanName,
    scopes: readonly Scope[] = SCOPES,
    environment: KeyEnvironment = 'live',
  ): Promise<string> => {
    const key = generateKey(environment);
    const hash = hashKey(key);
    await keys.add({ id: keyIdOf(hash), hash, name: 'Test', plan, scopes, createdAt: now.toISOString() });
    return key;
  };
  const gateway = await startGateway({ port: 0, clock, onResponse });
  const stop = async () => {
    await gateway.close();
    await engine.stop();
  };
  return { origin: gateway.origin, addKey, stop };
};

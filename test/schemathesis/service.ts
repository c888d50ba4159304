import { generateKey, hashKey, keyIdOf } from '../../functions/access/api-key.ts';
import { keysTable } from '../../functions/access/keys-table.ts';
import { SCOPES } from '../../functions/access/scopes.ts';
import { startGateway } from '../../lib/local/gateway/gateway.ts';
import { loadSampleContent, loadSampleVehicles } from '../../lib/local/sample-database.ts';
import { environmentOf, startEngine } from '../support/engine.ts';

/** How much faster the gateway's clock runs, so that thousands of requests stay inside the premium plan. */
const CLOCK_RATE = 20;

/** The service with its sample data on free ports, and a premium key. Counts its answers by status. */
export const startServiceUnderTest = async () => {
  const engine = await startEngine();
  Object.assign(process.env, environmentOf(engine));
  const startedAt = Date.now();
  const clock = () => startedAt + (Date.now() - startedAt) * CLOCK_RATE;
  const now = new Date(startedAt);
  await loadSampleVehicles(engine.client, engine.names, now);
  await loadSampleContent(engine.client, engine.names, now);
  const key = generateKey('test');
  const hash = hashKey(key);
  const record = { id: keyIdOf(hash), hash, name: 'Schemathesis', plan: 'premium', scopes: SCOPES } as const;
  await keysTable(engine.client, engine.names.keys).add({ ...record, createdAt: now.toISOString() });
  const answers = new Map<number, number>();
  const onResponse = ({ status }: { status: number }) => answers.set(status, (answers.get(status) ?? 0) + 1);
  const gateway = await startGateway({ port: 0, clock, onResponse });
  const stop = async () => {
    await gateway.close();
    await engine.stop();
  };
  return { origin: gateway.origin, key, answers, stop };
};

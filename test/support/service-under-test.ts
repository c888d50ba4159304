import { keyStore } from '../../admin/keys/key-store.ts';
import type { KeyEnvironment } from '../../core/access/api-key.ts';
import { SCOPES, type Scope } from '../../core/access/scopes.ts';
import { LOCAL_TABLE_NAMES } from '../../core/tables.ts';
import { addKey } from '../../local/demo-keys.ts';
import type { AccessLogEntry } from '../../local/gateway/gateway.ts';
import { startLocalService } from '../../local/service.ts';
import { clientOf } from './engine.ts';

interface ServiceOptions {
  /** How much faster than time the gateway's clock runs; 0 stops it, and with it the window of the rate limits. */
  readonly clockRate: number;
  readonly onResponse: (entry: AccessLogEntry) => void;
}

/** The service with its sample data on free ports. `addKey` makes keys of any plan. */
export const startServiceUnderTest = async ({ clockRate, onResponse }: ServiceOptions) => {
  const startedAt = Date.now();
  const clock = () => startedAt + (Date.now() - startedAt) * clockRate;
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
  const service = await startLocalService({ port: 0, dynamodbPort: 0, clock }, onResponse);
  const db = clientOf(service.dynamodb);
  const keys = keyStore(db, LOCAL_TABLE_NAMES.keys);
  return {
    origin: service.origin,
    addKey: (plan: string, scopes: readonly Scope[] = SCOPES, environment: KeyEnvironment = 'live'): Promise<string> =>
      addKey(keys, { name: 'Test', plan, scopes, environment }, new Date(startedAt)),
    stop: async () => {
      db.destroy();
      await service.stop();
    },
  };
};

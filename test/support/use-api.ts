import { afterAll, afterEach, beforeAll, beforeEach, jest } from '@jest/globals';
import { keyStore } from '../../admin/keys/key-store.ts';
import { hashKey, keyIdOf, newApiKey } from '../../core/access/api-key.ts';
import type { KeyRecord } from '../../core/access/key-record.ts';
import type { Plans } from '../../core/access/plans.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import type { ComplianceRecord } from '../../core/compliance/compliance-record.ts';
import type { TableId, TableNames } from '../../core/tables.ts';
import type { VehicleRecord } from '../../core/vehicles/vehicle-record.ts';
import { startProtocolServer } from '../../local/engine/http-server.ts';
import { unknownOperation } from '../../local/engine/protocol.ts';
import { lookupLogEnvironment } from '../../local/environment.ts';
import { type AccessLogEntry, startGateway } from '../../local/gateway/gateway.ts';
import { withKms } from '../../local/kms.ts';
import { storeItems } from '../../local/sample-database.ts';
import { byContract } from './contract.ts';
import { environmentOf, startEngine } from './engine.ts';
import { type DatabaseCall, startFaultProxy } from './fault-proxy.ts';
import { aCounter, NOON, TEST_PLANS } from './records.ts';
import { type Reply, send } from './send.ts';

export type { Call, Reply } from './send.ts';

/** The id of a live key. */
export const liveId = (key: string): string => keyIdOf(hashKey(key), 'live');

/** A request to the database by its operation and tables, as `GetItem keys`. */
export const nameOf = ({ operation, tables }: DatabaseCall, names: TableNames): string => {
  const ids = Object.entries(names).flatMap(([id, name]) => (tables.includes(name) ? id : []));
  return [operation, ...ids.sort()].join(' ');
};

export type TestApi = Awaited<ReturnType<typeof startApi>>;

/**
 * The whole API on an engine of its own: gateway, middlewares and database as in production, with a proxy before the
 * database that a test can tell to fail, and another one before the KMS. The clock stands still at `NOON`.
 */
export const startApi = async ({
  logLevel = 'SILENT',
  logsLookups = false,
  plans = TEST_PLANS as Plans,
  environment = {},
  onResponse = (_: AccessLogEntry): void => undefined,
} = {}) => {
  const engine = await startEngine();
  const faults = await startFaultProxy(engine.endpoint);
  const kms = await startProtocolServer(withKms(() => Promise.reject(unknownOperation())));
  const kmsFaults = await startFaultProxy(kms.origin);
  const ofEngine = environmentOf({ names: engine.names, endpoint: faults.endpoint });
  const ofLog = logsLookups ? lookupLogEnvironment(kmsFaults.endpoint) : {};
  const settings = { POWERTOOLS_LOG_LEVEL: logLevel, PLANS: JSON.stringify(plans) };
  Object.assign(process.env, ofEngine, ofLog, environment, settings);
  const clock = { now: NOON };
  const gateway = await startGateway({ port: 0, clock: () => clock.now, onResponse });
  const keys = keyStore(engine.client, engine.names.keys);
  const store = (table: TableId, ...items: object[]) => storeItems(engine.client, engine.names[table], items);
  return {
    origin: gateway.origin,
    engine,
    faults,
    kmsFaults,
    /** The clock of the gateway. A test may move it. */
    clock,
    keys,
    usage: usageTable(engine.client, engine.names.usage),
    /** Sends a request; fails when request or reply breaks the OpenAPI document. */
    call: byContract(gateway.origin, (...call) => send(gateway, ...call)),
    /**
     * A new key; a live one with every scope, the premium plan and no environment, unless said otherwise.
     * @param used the requests that it has made in the window of `NOON`
     */
    newKey: async (record: Partial<KeyRecord> = {}, used = 0): Promise<string> => {
      const { key, id, hash } = newApiKey(record.environment ?? 'live');
      const createdAt = new Date(NOON).toISOString();
      await keys.add({ id, hash, name: 'Test', plan: 'premium', scopes: SCOPES, createdAt, ...record });
      if (used > 0) await store('usage', aCounter(key, used));
      return key;
    },
    /** Changes the record of a live key. */
    updateKey: (key: string, changes: Parameters<typeof keys.update>[1]) =>
      keys.update(liveId(key), changes, { by: 'tester', at: new Date(NOON) }),
    /** Each request to the database since the last reset, or after so many, as `GetItem keys`, sorted. */
    requests: (earlier = 0) =>
      faults.calls
        .slice(earlier)
        .map((call) => nameOf(call, engine.names))
        .sort(),
    /** Stores items as they are, such as damaged ones. */
    store,
    loadVehicles: (...records: VehicleRecord[]) => store('vehicles', ...records),
    loadCompliance: (...records: ComplianceRecord[]) => store('compliance', ...records),
    stop: async () => {
      await gateway.close();
      await kmsFaults.close();
      await kms.close();
      await faults.close();
      await engine.stop();
    },
  };
};

/** An API for the tests of a file, with a premium key; each test begins without faults and at `NOON`. */
export const useApi = (
  prepare: (api: TestApi) => Promise<unknown> = async () => undefined,
  options: Parameters<typeof startApi>[0] = {},
): TestApi & { readonly key: string } => {
  const api = {} as TestApi & { key: string };
  beforeAll(async () => {
    Object.assign(api, await startApi(options));
    api.key = await api.newKey();
    await prepare(api);
  });
  afterEach(() => {
    api.faults.reset();
    api.kmsFaults.reset();
    api.clock.now = NOON;
  });
  afterAll(() => api.stop());
  return api;
};

/** The X-RateLimit headers of a reply: limit, remaining and reset. */
export const rateLimitOf = ({ headers }: Reply): (string | null)[] =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));

/** When the window of `NOON` ends, as in X-RateLimit-Reset. */
export const RESET = String(Date.parse('2026-06-15T12:01:00Z') / 1_000);

/** What this process writes to standard output and error from now on, a write each, until `jest.restoreAllMocks`. */
export const catchOutput = (written: string[] = []): readonly string[] => {
  for (const stream of [process.stdout, process.stderr]) {
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      written.push(String(chunk));
      return true;
    });
  }
  return written;
};

/** What this process writes during each test of a file. */
export const useOutput = (): readonly string[] => {
  const written: string[] = [];
  beforeEach(() => {
    written.length = 0;
    catchOutput(written);
  });
  afterEach(() => void jest.restoreAllMocks());
  return written;
};

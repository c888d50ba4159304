/** The embedded engine in this process, which counts requests and units, and whose answers can take a set time. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { keyStore } from '../admin/keys/key-store.ts';
import { hashKey, keyIdOf } from '../core/access/api-key.ts';
import { LOCAL_TABLE_NAMES as names } from '../core/tables.ts';
import { addKey } from '../local/demo-keys.ts';
import { startEmbeddedEngine } from '../local/engine/embedded.ts';
import type { EngineResponse } from '../local/engine/protocol.ts';
import { applyEnvironment, localEnvironment } from '../local/environment.ts';
import { openDatabase, prepareSampleDatabase } from '../local/sample-database.ts';
import { temporaryFolder } from './report.ts';

/** Timers of Node fire up to this much late; the rest of a wait is spent looking at the clock. */
const TIMER_GRAIN_MS = 2;

const until = async (moment: number): Promise<void> => {
  const early = moment - performance.now() - TIMER_GRAIN_MS;
  if (early > 0) await setTimeout(early);
  while (performance.now() < moment) await setImmediate();
};

/** What some work cost at the database, as the engine counts it. */
export interface Cost {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

const READS = ['BatchGetItem', 'GetItem', 'Query', 'Scan'];

const unitsOf = ({ body: { ConsumedCapacity = [] } }: EngineResponse): number =>
  ([ConsumedCapacity].flat() as { readonly CapacityUnits: number }[]).reduce(
    (sum, each) => sum + each.CapacityUnits,
    0,
  );

/** A self-signed certificate for this machine. @throws Error where there is no openssl */
const makeCertificate = () => {
  const folder = temporaryFolder();
  const key = join(folder, 'key.pem');
  const cert = join(folder, 'certificate.pem');
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...request, ...subject], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
};

/** An engine with tables, sample data and a premium key. Sets this process's environment for it. */
export const prepareEngine = async () => {
  const recorded = new Map<string, Promise<EngineResponse>>();
  let delayMs: number | undefined;
  let cost: Cost = { requests: 0, readUnits: 0, writeUnits: 0 };
  const count = (operation: string, units: number) => {
    const { requests, readUnits, writeUnits } = cost;
    cost = READS.includes(operation)
      ? { requests: requests + 1, readUnits: readUnits + units, writeUnits }
      : { requests: requests + 1, readUnits, writeUnits: writeUnits + units };
  };
  const { endpoint, close } = await startEmbeddedEngine({
    port: 0,
    intercept: (perform) => async (operation, input) => {
      const arrived = performance.now();
      const answer = () => perform(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' });
      if (delayMs === undefined) {
        const response = await answer();
        count(operation, unitsOf(response));
        return response;
      }
      const question = `${operation} ${JSON.stringify(input)}`;
      const answered = recorded.get(question) ?? answer();
      if (!question.includes(`"${names.content}"`)) recorded.set(question, answered);
      const response = await answered;
      await until(arrived + delayMs);
      return response;
    },
  });
  applyEnvironment(localEnvironment(endpoint, names));
  const { plans } = await prepareSampleDatabase(endpoint);
  const key = plans.premium ?? '';
  const db = openDatabase(endpoint);
  return {
    endpoint,
    db,
    names,
    key,
    keyId: keyIdOf(hashKey(key), 'live'),
    /** A premium key with every scope. */
    newKey: () =>
      addKey(keyStore(db, names.keys), { name: 'Another', plan: 'premium', environment: 'live' }, new Date()),
    /** The cost of some work, which must be all that reaches the engine meanwhile, without a set time. */
    costOf: async (work: () => Promise<unknown>): Promise<Cost> => {
      cost = { requests: 0, readUnits: 0, writeUnits: 0 };
      await work();
      return cost;
    },
    /**
     * Milliseconds from a request to its answer, or undefined for the engine as it is. With a time, only answers about
     * content are not recorded ones: the latency of the database is the set one, and functions differ in their own only.
     */
    setDelay: (milliseconds?: number): void => {
      recorded.clear();
      delayMs = milliseconds;
    },
    /** The environment of a function that reaches the engine over TLS, as it reaches DynamoDB. */
    overTls: async () => {
      const { hostname: host, port } = new URL(endpoint);
      const tunnel = createServer({ ...makeCertificate(), noDelay: true }, (socket) => {
        const engine = connect({ host, port: Number(port), noDelay: true });
        // Either side may disconnect at any time.
        socket.on('error', () => engine.destroy()).pipe(engine);
        engine.on('error', () => socket.destroy()).pipe(socket);
      });
      await once(tunnel.listen(0, host), 'listening');
      const tlsEndpoint = `https://${host}:${(tunnel.address() as AddressInfo).port}`;
      return { AWS_ENDPOINT_URL_DYNAMODB: tlsEndpoint, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    },
    close: async (): Promise<void> => {
      db.destroy();
      await close();
    },
  };
};

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { startGateway } from '../../../lib/local/gateway/gateway.ts';
import { loadSampleContent } from '../../../lib/local/sample-database.ts';
import { forkCall } from '../../support/fork.ts';
import { prepareEngine } from '../../support/prepared-engine.ts';
import type { RequestKind } from './request-kinds.ts';

/** Premium keys that share the load, so that no plan's limit ends it: 6,000 a minute each. */
const KEYS = 4;
/** When all connections are busy a request waits. */
const CONNECTIONS = 64;
/** A fixed size: V8 doubles the space for new objects at any time, which would look like growth. */
const YOUNG_GENERATION = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

/** Bytes: the JavaScript heap, and the whole process. */
export interface Memory {
  readonly heap: number;
  readonly resident: number;
}

/** For a process of its own (`forkCall`) with Node's `--expose-gc`. */
export const startMeasuredGateway = async () => {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('start this with --expose-gc');
  const { origin } = await startGateway({ port: 0 });
  return {
    origin,
    /** After a garbage collection. */
    memory: (): Memory => {
      collect();
      const { heapUsed, rss } = process.memoryUsage();
      return { heap: heapUsed, resident: rss };
    },
  };
};

/** Engine and gateway, each in a process of its own, with the sample data; logs and metrics are written as in production. */
export const startSteadyLoadApi = async (now: Date) => {
  const { db, names, newKey, close } = await prepareEngine();
  await loadSampleContent(db, names, now);
  const keys = await Promise.all(Array.from({ length: KEYS }, async () => (await newKey()).key));
  const { result, call, stop } = await forkCall<{ origin: string }>(
    new URL(import.meta.url),
    'startMeasuredGateway',
    [],
    {
      environment: { POWERTOOLS_LOG_LEVEL: 'INFO', POWERTOOLS_METRICS_NAMESPACE: 'SteadyLoad' },
      nodeOptions: ['--expose-gc', ...YOUNG_GENERATION],
      output: 'ignore',
    },
  );
  // Connections take turns, so that none idles until the gateway closes it just as a request is sent.
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' });
  return {
    /** Resolves to the kind and the status, or why there was none. */
    send: async (kind: RequestKind, nth: number): Promise<string> => {
      const { method, path, key = keys[nth % KEYS] ?? '', body } = kind.make();
      const headers = { 'X-API-Key': key, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
      try {
        const sent = request(`${result.origin}${path}`, { agent, method, headers });
        sent.end(body);
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        const received = await text(response);
        if (response.statusCode === kind.status) kind.onBody?.(received);
        return `${kind.name}: ${response.statusCode}`;
      } catch (error) {
        return `${kind.name}: ${(error as NodeJS.ErrnoException).code}`;
      }
    },
    memory: async (): Promise<Memory> => (await call('memory')) as Memory,
    stop: async (): Promise<void> => {
      agent.destroy();
      await stop();
      close();
    },
  };
};

/**
 * The embedded engine with answers that take a set time: none leaves earlier, and only those about content are not
 * recorded ones. So the latency of the database is the injected one, and two functions differ only in their own.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { LOCAL_TABLE_NAMES } from '../core/tables.ts';
import { startEmbeddedEngine } from '../local/engine/embedded.ts';
import type { EngineResponse } from '../local/engine/protocol.ts';
import { prepareEngine } from './prepared-engine.ts';

/** Timers of Node fire up to this much late; the rest of a wait is spent looking at the clock. */
const TIMER_GRAIN_MS = 2;

const until = async (moment: number): Promise<void> => {
  const early = moment - performance.now() - TIMER_GRAIN_MS;
  if (early > 0) await setTimeout(early);
  while (performance.now() < moment) await setImmediate();
};

/** A self-signed certificate for this machine. @throws Error where there is no openssl */
const makeCertificate = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  const key = join(folder, 'key.pem');
  const cert = join(folder, 'certificate.pem');
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-keyout', key, '-out', cert];
  await promisify(execFile)('openssl', [...request, ...subject]);
  const tls = { key: await readFile(key), cert: await readFile(cert) };
  await rm(folder, { recursive: true });
  return tls;
};

/** For a process of its own (`forkCall`). */
export const startPacedEngine = async () => {
  const recorded = new Map<string, Promise<EngineResponse>>();
  let delayMs: number | undefined;
  const { endpoint } = await startEmbeddedEngine({
    port: 0,
    intercept: (perform) => async (operation, input) => {
      const arrived = performance.now();
      const question = `${operation} ${JSON.stringify(input)}`;
      const answer = recorded.get(question) ?? perform(operation, input);
      if (delayMs !== undefined && !question.includes(`"${LOCAL_TABLE_NAMES.content}"`)) recorded.set(question, answer);
      const response = await answer;
      await until(arrived + (delayMs ?? 0));
      return response;
    },
  });
  const { hostname: host, port } = new URL(endpoint);
  const tunnel = createServer({ ...(await makeCertificate()), noDelay: true }, (socket) => {
    const engine = connect({ host, port: Number(port), noDelay: true });
    // Either side may disconnect at any time.
    socket.on('error', () => engine.destroy()).pipe(engine);
    engine.on('error', () => socket.destroy()).pipe(socket);
  });
  await once(tunnel.listen(0, host), 'listening');
  return {
    endpoint,
    tlsEndpoint: `https://${host}:${(tunnel.address() as AddressInfo).port}`,
    setDelay: (next?: number): void => {
      recorded.clear();
      delayMs = next;
    },
  };
};

/** The paced engine in its own process, with sample vehicles and a premium key, without delay or recorded answers. */
export const preparePacedEngine = async () => {
  const engine = await prepareEngine<{ readonly endpoint: string; readonly tlsEndpoint: string }>(
    new URL(import.meta.url),
    'startPacedEngine',
  );
  return {
    ...engine,
    /** For a function that reaches the engine as it reaches DynamoDB; the certificate is self-signed. */
    overTls: { AWS_ENDPOINT_URL_DYNAMODB: engine.tlsEndpoint, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    /** Milliseconds from a request to its answer, or undefined for the engine as it is. */
    setDelay: async (milliseconds?: number): Promise<void> => {
      await engine.call('setDelay', milliseconds);
    },
  };
};

/**
 * The embedded engine with answers that take a set time: none leaves earlier after its request, and only those about content are
 * not recorded ones. So the latency of the database is the injected one, and two functions differ only in their own.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LOCAL_TABLE_NAMES } from '../core/tables.ts';
import { startEmbeddedEngine } from '../lib/local/engine/embedded.ts';
import { forkCall } from '../test/support/fork.ts';
import { prepareOn } from '../test/support/prepared-engine.ts';

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
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-keyout', key, '-out', cert];
  await promisify(execFile)('openssl', [...request, ...subject]);
  const tls = { key: await readFile(key), cert: await readFile(cert) };
  await rm(folder, { recursive: true });
  return tls;
};

const pick = (names: readonly string[], value: (name: string) => unknown): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, String(value(name) ?? '')]));

const ask = async (endpoint: string, { headers }: IncomingMessage, body: Buffer) => {
  const sent = pick(['x-amz-target', 'content-type', 'authorization'], (name) => headers[name]);
  const answer = await fetch(endpoint, { method: 'POST', headers: sent, body });
  const content = Buffer.from(await answer.arrayBuffer());
  const kept = pick(['content-type', 'x-amz-crc32', 'x-amzn-requestid'], (name) => answer.headers.get(name));
  return { status: answer.status, headers: { ...kept, 'content-length': String(content.length) }, content };
};

/** For a process of its own (`forkCall`). */
export const startPacedEngine = async () => {
  const { endpoint } = await startEmbeddedEngine({ port: 0 });
  const recorded = new Map<string, ReturnType<typeof ask>>();
  let delayMs: number | undefined;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrived = performance.now();
    const body = await buffer(request);
    const question = `${String(request.headers['x-amz-target'])} ${body}`;
    const asked = recorded.get(question) ?? ask(endpoint, request, body);
    if (delayMs !== undefined && !question.includes(`"${LOCAL_TABLE_NAMES.content}"`)) recorded.set(question, asked);
    const { status, headers, content } = await asked;
    await until(arrived + (delayMs ?? 0));
    response.writeHead(status, headers).end(content);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch(() => response.destroy());
  };
  const listen = async (server: Server): Promise<number> => {
    server.keepAliveTimeout = 0;
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  return {
    endpoint: `http://127.0.0.1:${await listen(createServer(listener))}`,
    tlsEndpoint: `https://127.0.0.1:${await listen(createTlsServer(await makeCertificate(), listener))}`,
    setDelay: (next?: number): void => {
      recorded.clear();
      delayMs = next;
    },
  };
};

/** The paced engine in a process of its own, with sample vehicles and a premium key, at first without a delay or recorded answers. */
export const preparePacedEngine = async () => {
  const engine = await forkCall<{ readonly endpoint: string; readonly tlsEndpoint: string }>(
    new URL(import.meta.url),
    'startPacedEngine',
  );
  return {
    ...(await prepareOn(engine)),
    /** For a function that reaches the engine as it reaches DynamoDB; the certificate is self-signed. */
    overTls: { AWS_ENDPOINT_URL_DYNAMODB: engine.result.tlsEndpoint, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    /** Milliseconds from a request to its answer, or undefined for the engine as it is. */
    setDelay: async (milliseconds?: number): Promise<void> => {
      await engine.call('setDelay', milliseconds);
    },
  };
};

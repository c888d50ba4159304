/**
 * The embedded engine with answers that take a set time: none leaves earlier after its request, and requests to some tables
 * get the first answer again. So the latency of the database is the injected one, and two functions differ only in their own.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { startEmbeddedEngine } from '../../lib/local/engine/embedded.ts';
import { makeCertificate } from './certificate.ts';

/** How the engine answers from now on. */
export interface Pace {
  /** Milliseconds from a request to its answer. */
  readonly delayMs: number;
  /** Tables whose answers come later than that, in milliseconds. */
  readonly slower?: Readonly<Record<string, number>>;
  /** Tables whose answers are repeated when the same is asked again. */
  readonly repeated: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** Timers of Node fire up to this much late; the rest of a wait is spent looking at the clock. */
const TIMER_GRAIN_MS = 2;
const FORWARDED = ['x-amz-target', 'content-type', 'authorization'];

const until = async (moment: number): Promise<void> => {
  const early = moment - performance.now() - TIMER_GRAIN_MS;
  if (early > 0) await setTimeout(early);
  while (performance.now() < moment) await setImmediate();
};

const ask = async (endpoint: string, { headers }: IncomingMessage, body: Buffer): Promise<Answer> => {
  const forwarded = FORWARDED.map((name) => [name, String(headers[name])]);
  const answer = await fetch(endpoint, { method: 'POST', headers: Object.fromEntries(forwarded), body });
  const content = Buffer.from(await answer.arrayBuffer());
  const kept = ['content-type', 'x-amz-crc32', 'x-amzn-requestid'].map((name) => [
    name,
    answer.headers.get(name) ?? '',
  ]);
  return {
    status: answer.status,
    headers: { ...Object.fromEntries(kept), 'content-length': String(content.length) },
    body: content,
  };
};

const delayOf = ({ slower = {}, delayMs }: Pace, body: Buffer): number => {
  const slow = Object.entries(slower).find(([table]) => body.includes(`"${table}"`));
  return slow?.[1] ?? delayMs;
};

/** For a process of its own (`forkCall`). */
export const startPacedEngine = async () => {
  const { endpoint } = await startEmbeddedEngine({ port: 0 });
  const firstAnswers = new Map<string, Answer>();
  let pace: Pace = { delayMs: 0, repeated: [] };

  const answerTo = async (request: IncomingMessage, body: Buffer): Promise<Answer> => {
    const question = `${String(request.headers['x-amz-target'])} ${body}`;
    const known = firstAnswers.get(question);
    if (known) return known;
    const answer = await ask(endpoint, request, body);
    if (pace.repeated.some((table) => question.includes(`"${table}"`))) firstAnswers.set(question, answer);
    return answer;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrived = performance.now();
    const body = await buffer(request);
    const { status, headers, body: content } = await answerTo(request, body);
    await until(arrived + delayOf(pace, body));
    response.writeHead(status, headers).end(content);
  };

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch(() => response.destroy());
  };
  const listen = async (server: Server): Promise<number> => {
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  return {
    endpoint: `http://127.0.0.1:${await listen(createServer(listener))}`,
    tlsEndpoint: `https://127.0.0.1:${await listen(createTlsServer(await makeCertificate(), listener))}`,
    setPace: (next: Pace): void => {
      pace = next;
    },
  };
};

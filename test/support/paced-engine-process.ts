/**
 * The embedded engine in a process of its own behind a front that keeps a pace: no answer leaves earlier than told after
 * its request came, and requests to some tables are answered as they were the first time. So the time of an answer is
 * the one that was injected, and what differs between two functions is their own.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { startEmbeddedEngine } from '../../lib/local/engine/embedded.ts';

/** How the front answers from now on. */
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

const { endpoint } = await startEmbeddedEngine({ port: 0 });
const firstAnswers = new Map<string, Answer>();
let pace: Pace = { delayMs: 0, repeated: [] };

const until = async (moment: number): Promise<void> => {
  const early = moment - performance.now() - TIMER_GRAIN_MS;
  if (early > 0) await setTimeout(early);
  while (performance.now() < moment) await setImmediate();
};

const ask = async ({ headers }: IncomingMessage, body: Buffer): Promise<Answer> => {
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

const answerTo = async (request: IncomingMessage, body: Buffer): Promise<Answer> => {
  const question = `${String(request.headers['x-amz-target'])} ${body}`;
  const known = firstAnswers.get(question);
  if (known) return known;
  const answer = await ask(request, body);
  if (pace.repeated.some((table) => question.includes(`"${table}"`))) firstAnswers.set(question, answer);
  return answer;
};

const delayOf = (body: Buffer): number => {
  const slow = Object.entries(pace.slower ?? {}).find(([table]) => body.includes(`"${table}"`));
  return slow?.[1] ?? pace.delayMs;
};

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const arrived = performance.now();
  const body = await buffer(request);
  const { status, headers, body: content } = await answerTo(request, body);
  await until(arrived + delayOf(body));
  response.writeHead(status, headers).end(content);
};

const front = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
front.keepAliveTimeout = 0;
front.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(front.address() as AddressInfo).port}`);
});
process.on('disconnect', () => process.exit(0));
process.on('message', (told: Pace) => {
  pace = told;
  process.send?.('told');
});

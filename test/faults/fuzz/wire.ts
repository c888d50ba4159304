/** Sends requests as they are: no client that puts paths or headers right before they leave. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { RawRequest } from './raw-requests.ts';
import type { WildRequest } from './wild-requests.ts';

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Milliseconds after which an answer counts as missing; a function has 10 s. */
const PATIENCE_MS = 20_000;

const textOf = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const headersOf = ({ headersDistinct }: IncomingMessage): Headers => {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
};

/** A client of one service with so many connections. */
export const wireTo = (origin: string, connections: number) => {
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    /** @throws Error when no whole answer comes */
    send: async ({ method, target, headers, body }: WildRequest): Promise<Answer> => {
      const framing = [
        ['Host', `${hostname}:${port}`],
        ['Content-Length', String(body?.length ?? 0)],
      ];
      const sent = request({
        agent,
        hostname,
        port,
        method,
        path: target,
        headers: [...framing, ...headers].flat(),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return { status: response.statusCode ?? 0, headers: headersOf(response), text: await textOf(response) };
    },

    /** The status of the first answer to these bytes, or undefined when the connection is closed without one. */
    sendBytes: async ({ bytes, isCutOff }: RawRequest): Promise<number | undefined> => {
      const socket = connect({ host: hostname, port: Number(port), signal: AbortSignal.timeout(PATIENCE_MS) });
      // A server drops a request whose sender has ended before it is answered.
      if (isCutOff) socket.end(bytes);
      else socket.write(bytes);
      const [status] = /(?<=^HTTP\/1\.1 )[2-5]\d\d/m.exec(await textOf(socket)) ?? [];
      return status === undefined ? undefined : Number(status);
    },

    close: (): void => agent.destroy(),
  };
};

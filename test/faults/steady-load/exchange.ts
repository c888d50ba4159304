import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** One HTTP request and its answer, read to its end. */
export interface Exchange {
  readonly status: number;
  readonly body: string;
}

/** Connections to the gateway. When all are busy a request waits, which its latency shows, rather than open another. */
const CONNECTIONS = 64;

/** Connections take turns, so that none idles until the gateway closes it just as a request leaves. */
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' });

/** @throws Error of the connection when no answer comes */
export const exchange = async (
  address: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Promise<Exchange> => {
  const sent = request(address, { agent, method, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
};

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What goes wrong with one request; with `*After`, `truncate*` and a delay the service handles it first. */
export type HttpFault =
  | ('throttle' | 'deny' | 'resetBefore' | 'resetAfter' | 'error' | 'errorAfter' | 'html' | 'truncate' | 'truncateJson')
  | { readonly slowMs: number };

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** From 1, over the proxy's life. */
  readonly nth: number;
}

const HOP_BY_HOP = [
  ...['connection', 'content-length', 'date', 'host', 'keep-alive', 'transfer-encoding'],
  // Java asks for HTTP/2 with them.
  ...['upgrade', 'http2-settings'],
];

/** The answers of API Gateway and of proxies, which have none of the service's headers. */
const ANSWERS = {
  throttle: [429, 'application/json', '{"message":"Too Many Requests"}'],
  error: [503, 'application/json', '{"message":"Service Unavailable"}'],
  errorAfter: [503, 'application/json', '{"message":"Service Unavailable"}'],
  deny: [403, 'text/html', '<html><body><h1>403 Forbidden</h1></body></html>'],
  html: [502, 'text/html', '<html><body><h1>502 Bad Gateway</h1></body></html>'],
} as const;

export type HttpFaultProxy = Awaited<ReturnType<typeof startHttpFaultProxy>>;

/** A proxy between a client and the service, which fails as a network and API Gateway fail. */
export const startHttpFaultProxy = async (serviceOrigin: string) => {
  const requests: ProxiedRequest[] = [];
  let nth = 0;
  let choose: (request: ProxiedRequest) => HttpFault | undefined = () => undefined;

  const forward = async ({ method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer) => {
    const entries = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name));
    const answer = await fetch(`${serviceOrigin}${url}`, {
      method,
      headers: entries.map(([name, value]) => [name, String(value)]),
      ...(body.length > 0 && { body }),
    });
    const kept = [...answer.headers].filter(([name]) => !HOP_BY_HOP.includes(name) && name !== 'content-encoding');
    return { status: answer.status, headers: Object.fromEntries(kept), body: Buffer.from(await answer.arrayBuffer()) };
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    response.setHeader('Date', new Date().toUTCString());
    nth += 1;
    const request = { method: incoming.method ?? '', path: incoming.url ?? '', body: String(body), nth };
    const fault = choose(request);
    requests.push(request);
    if (fault === 'resetBefore') return void response.destroy();
    if (typeof fault === 'string' && fault in ANSWERS) {
      if (fault === 'errorAfter') await forward(incoming, body);
      const [status, type, text] = ANSWERS[fault as keyof typeof ANSWERS];
      return void response.writeHead(status, { 'Content-Type': type }).end(text);
    }
    const answer = await forward(incoming, body);
    if (fault === 'resetAfter') return void response.destroy();
    if (typeof fault === 'object') await new Promise((resolve) => setTimeout(resolve, fault.slowMs).unref());
    const half = answer.body.subarray(0, answer.body.length / 2);
    const isWhole = fault !== 'truncate' && fault !== 'truncateJson';
    if (answer.status === 204) return void response.writeHead(204, answer.headers).end();
    const length = fault === 'truncateJson' ? half.length : answer.body.length;
    response.writeHead(answer.status, { ...answer.headers, 'content-length': length });
    if (fault === 'truncate') response.write(half, () => response.destroy());
    else response.end(isWhole ? answer.body : half);
  };

  const server = createServer((incoming, response) => {
    // Either side may disconnect at any time.
    serve(incoming, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every request since the last `inject`. */
    requests,
    /** Decides the fault of each request from now on. */
    inject: (chooser: (request: ProxiedRequest) => HttpFault | undefined) => {
      requests.length = 0;
      choose = chooser;
    },
    close: async () => {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
};

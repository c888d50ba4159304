import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import pLimit from 'p-limit';
import { isAllowedHost, MISDIRECTED } from '../allowed-host.ts';
import { addressOf, httpEvent } from './http-event.ts';
import { gatewayAnswer, type HttpAnswer, type InvokedFunction, invoke } from './invocation.ts';
import { readBody } from './request-body.ts';
import { chooseRoute, defaultRoute, routes } from './routes.ts';

/** One answered request, as an access log keeps it: by its route, never by its path. */
export interface AccessRecord {
  readonly routeKey: string;
  readonly status: number;
  readonly milliseconds: number;
}

export interface GatewayOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  /** Hosts besides this machine's own that a request may name, in lower case. */
  readonly allowedHosts?: readonly string[];
  /** Requests served at once; the others wait. */
  readonly concurrency?: number;
  /** The gateway's clock, in Unix milliseconds. */
  readonly clock?: () => number;
  readonly onAnswer?: (record: AccessRecord) => void;
  /** What a GET of a path gets instead of the API's answer; this machine's own pages. */
  readonly pages?: (path: string) => Promise<HttpAnswer> | undefined;
}

export interface Gateway {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  readonly close: () => Promise<void>;
}

/** Bytes of request line and headers that API Gateway takes. */
const MAX_HEAD_BYTES = 10_240;

/**
 * On the platform each request has a function instance to itself, here they share one process with the database, and
 * without a bound a burst would run into the functions' own time-outs.
 */
const DEFAULT_CONCURRENCY = 32;

const headBytes = ({ method = '', url = '', rawHeaders }: IncomingMessage): number =>
  [method, url, ...rawHeaders].reduce((sum, part) => sum + Buffer.byteLength(part), 0);

const projectRoot = new URL('../../../', import.meta.url);

/** Every function of the endpoint table. Their environment must be set before: they read it when they load. */
const loadFunctions = async (): Promise<ReadonlyMap<string, InvokedFunction>> => {
  const entries = [...new Set([...routes, defaultRoute].map(({ entry }) => entry))];
  const modules = await Promise.all(entries.map((entry) => import(new URL(entry, projectRoot).href)));
  return new Map(entries.map((entry, index) => [entry, modules[index].handler]));
};

const answerRequest = async (
  request: IncomingMessage,
  functions: ReadonlyMap<string, InvokedFunction>,
  turn: ReturnType<typeof pLimit>,
  arrivedAt: Date,
): Promise<HttpAnswer & { routeKey: string }> => {
  const address = addressOf(request.url ?? '/');
  const match = chooseRoute(request.method ?? 'GET', address.encodedPath);
  const routeKey = match.route.key;
  const body = await readBody(request);
  if (body === undefined || headBytes(request) > MAX_HEAD_BYTES) {
    return { ...gatewayAnswer(413, 'Request Too Long'), routeKey };
  }
  const call = functions.get(match.route.entry);
  if (call === undefined) return { ...gatewayAnswer(500, 'Internal Server Error'), routeKey };
  const event = httpEvent(request, body, address, match, arrivedAt);
  return { ...(await turn(() => invoke(call, match.route.entry, event))), routeKey };
};

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

/** What is no HTTP, or more of a head than Node reads, never becomes a request; the gateway still answers it. */
const refuseMalformed = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable) return;
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const { statusCode, body } = isTooLong ? gatewayAnswer(413, 'Request Too Long') : gatewayAnswer(400, 'Bad Request');
  const head = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nContent-Type: application/json`;
  socket.end(`${head}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
};

/**
 * API Gateway HTTP API on this machine: routes from the endpoint table, events and answers as the platform makes them.
 * @throws the listen error when the port is taken
 */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const { port, host = '127.0.0.1', concurrency = DEFAULT_CONCURRENCY, clock = Date.now, onAnswer, pages } = options;
  const allowedHosts = [host, ...(options.allowedHosts ?? [])];
  const functions = await loadFunctions();
  const turn = pLimit(concurrency);
  const answer = async (request: IncomingMessage) => {
    if (!isAllowedHost(request.headersDistinct.host, allowedHosts)) {
      return { ...gatewayAnswer(421, MISDIRECTED), routeKey: defaultRoute.key };
    }
    const path = addressOf(request.url ?? '/').encodedPath;
    const page = request.method === 'GET' ? await pages?.(path) : undefined;
    return page ? { ...page, routeKey: `GET ${path}` } : answerRequest(request, functions, turn, new Date(clock()));
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now();
    const { statusCode, headers, body, routeKey } = await answer(request);
    const framing = statusCode === 204 ? {} : { 'content-length': body.length };
    response.writeHead(statusCode, { ...headers, ...framing }).end(body);
    onAnswer?.({ routeKey, status: statusCode, milliseconds: performance.now() - startedAt });
  };
  const server = createServer({ maxHeaderSize: 8 * MAX_HEAD_BYTES }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      const callerHungUp = request.destroyed;
      response.destroy();
      if (!callerHungUp) throw error;
    });
  });
  server.on('clientError', refuseMalformed);
  const bound = await listen(server, port, host);
  return {
    origin: `http://${host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

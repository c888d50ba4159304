import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import pLimit from 'p-limit';
import { database } from '../../../core/dynamodb/database.ts';
import { FUNCTION_IDS, type FunctionId, importFile } from '../../endpoint-files.ts';
import { isAllowedHost, MISDIRECTED } from '../allowed-host.ts';
import { callAs, nameCallingFunction } from '../calling-function.ts';
import { httpEvent, readBody, splitTarget } from './http-event.ts';
import { gatewayResponse, type HttpResponse, type InvokedFunction, invoke } from './invocation.ts';
import { chooseRoute, defaultRoute } from './routes.ts';

/** One request in the access log: its route, never its path. */
export interface AccessLogEntry {
  readonly routeKey: string;
  readonly status: number;
  readonly milliseconds: number;
}

interface GatewayOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Further host names that requests may use, in lower case. */
  readonly allowedHosts?: readonly string[];
  /** The gateway's clock, in Unix milliseconds. */
  readonly clock?: () => number;
  readonly onResponse?: (entry: AccessLogEntry) => void;
  /** Pages of this machine only: the response to a GET of a path; undefined where the API responds. */
  readonly pages?: (path: string, origin: string) => Promise<HttpResponse | undefined>;
}

export interface Gateway {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';

/** Bytes of request line and headers that API Gateway accepts. */
const MAX_HEAD_BYTES = 10_240;

/**
 * Concurrent requests; further ones wait. In Lambda each request has its own instance. Here all requests share one process
 * with the database: without a limit a burst would run into the timeouts of the functions.
 */
const CONCURRENCY = 32;

const headBytes = ({ method = '', url = '', rawHeaders }: IncomingMessage): number =>
  [method, url, ...rawHeaders].reduce((sum, part) => sum + Buffer.byteLength(part), 0);

/** The origin that a request was sent to; a forwarded port may add TLS. */
const originOf = ({ headers }: IncomingMessage): string =>
  `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${headers.host}`;

/** Imports every function of the endpoint table. Their environment must be set first, because they read it when imported. */
const loadFunctions = async (): Promise<ReadonlyMap<FunctionId, InvokedFunction>> => {
  const load = async (id: FunctionId) => {
    const { handler } = await importFile<{ readonly handler: InvokedFunction }>(id, 'handler.ts');
    return [id, handler] as const;
  };
  return new Map(await Promise.all(FUNCTION_IDS.map(load)));
};

const respond = async (
  request: IncomingMessage,
  functions: ReadonlyMap<FunctionId, InvokedFunction>,
  limit: ReturnType<typeof pLimit>,
  arrivedAt: Date,
): Promise<HttpResponse & { routeKey: string }> => {
  const address = splitTarget(request.url ?? '/');
  const match = chooseRoute(request.method ?? 'GET', address.encodedPath);
  const routeKey = match.route.key;
  const body = await readBody(request);
  if (body === undefined || headBytes(request) > MAX_HEAD_BYTES) {
    return { ...gatewayResponse(413, 'Request Too Long'), routeKey };
  }
  const { functionId } = match.route;
  const handler = functions.get(functionId);
  if (handler === undefined) return { ...gatewayResponse(500, 'Internal Server Error'), routeKey };
  const event = httpEvent(request, body, address, match, arrivedAt);
  return { ...(await limit(() => callAs(functionId, () => invoke(handler, functionId, event)))), routeKey };
};

/** Responds to malformed HTTP and to oversized headers, for which Node emits no request. */
const rejectMalformed = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable) return;
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const { statusCode, body } = isTooLong
    ? gatewayResponse(413, 'Request Too Long')
    : gatewayResponse(400, 'Bad Request');
  const head = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nContent-Type: application/json`;
  socket.end(`${head}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
};

/**
 * An HTTP API of API Gateway on this machine: routes from the endpoint table, events and responses as on the platform.
 * @throws the listen error when the port is taken
 */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const { port, allowedHosts, clock = Date.now, onResponse, pages } = options;
  const functions = await loadFunctions();
  nameCallingFunction(database());
  const limit = pLimit(CONCURRENCY);
  const responseTo = async (request: IncomingMessage) => {
    if (!isAllowedHost(request.headersDistinct.host, allowedHosts)) {
      return { ...gatewayResponse(421, MISDIRECTED), routeKey: defaultRoute.key };
    }
    const path = splitTarget(request.url ?? '/').encodedPath;
    // The reason why a page cannot be made is shown: on this machine the reader can fix it.
    const unavailable = (error: Error) => gatewayResponse(500, error.message);
    const page = request.method === 'GET' ? await pages?.(path, originOf(request)).catch(unavailable) : undefined;
    return page ? { ...page, routeKey: `GET ${path}` } : respond(request, functions, limit, new Date(clock()));
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now();
    const { statusCode, headers, body, routeKey } = await responseTo(request);
    const framing = statusCode === 204 ? {} : { 'content-length': body.length };
    response.writeHead(statusCode, { ...headers, ...framing }).end(body);
    onResponse?.({ routeKey, status: statusCode, milliseconds: performance.now() - startedAt });
  };
  const server = createServer({ maxHeaderSize: 8 * MAX_HEAD_BYTES }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      const aborted = request.destroyed;
      response.destroy();
      if (!aborted) throw error;
    });
  });
  server.on('clientError', rejectMalformed);
  server.listen(port, HOST);
  await once(server, 'listening');
  return {
    origin: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pLimit from 'p-limit';
import { database, databaseWithoutRetries } from '../../core/aws/database.ts';
import { FUNCTION_IDS, type FunctionId, importFunctionFile } from '../../functions/endpoints/endpoint-files.ts';
import { callAs, nameCallingFunction } from '../engine/permissions.ts';
import { isAllowedHost, listen, MISDIRECTED } from '../server.ts';
import { httpEvent, readBody, splitTarget } from './http-event.ts';
import { gatewayResponse, type HttpResponse, type InvokedFunction, invoke } from './invocation.ts';
import { chooseRoute, DEFAULT_ROUTE } from './routes.ts';

/** One request in the access log: its route, never its path. */
export interface AccessLogEntry {
  readonly routeKey: string;
  readonly status: number;
  readonly milliseconds: number;
}

interface GatewayOptions {
  /** The port to listen at; 0 for any free one. */
  readonly port: number;
  readonly allowedHosts?: readonly string[];
  /** The gateway's clock, in Unix milliseconds. */
  readonly clock?: () => number;
  readonly onResponse?: (entry: AccessLogEntry) => void;
  /** The response to a GET or HEAD of a page; undefined where the API responds. */
  readonly pages?: (path: string, origin: string) => Promise<HttpResponse | undefined>;
}

/** Bytes of request line and headers that API Gateway accepts. */
const MAX_HEAD_BYTES = 10_240;
/** Bytes that Node reads. Above this limit Node itself responds, with 431. */
const MAX_READ_HEAD_BYTES = 1024 * 1024;

/** Concurrent requests. All share a process with the database: without a limit functions time out in a burst. */
const CONCURRENCY = 32;

const headBytes = ({ method = '', url = '', rawHeaders }: IncomingMessage): number =>
  [method, url, ...rawHeaders].reduce((sum, part) => sum + Buffer.byteLength(part), 0);

/** The origin that a request was sent to; a forwarded port may add TLS. */
const originOf = ({ headers }: IncomingMessage): string =>
  `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${headers.host}`;

/** Imports every function. They read their environment when imported. */
const loadFunctions = async (): Promise<Readonly<Record<FunctionId, InvokedFunction>>> => {
  const load = async (id: FunctionId) => {
    const { handler } = await importFunctionFile<{ readonly handler: InvokedFunction }>(id, 'handler.ts');
    return [id, handler];
  };
  return Object.fromEntries(await Promise.all(FUNCTION_IDS.map(load)));
};

const TOO_LONG = gatewayResponse(413, 'Request Too Long');

/**
 * An HTTP API of API Gateway on this machine: routes from the endpoint table, events and responses as on the platform.
 * @throws the listen error when the port is taken
 */
export const startGateway = async (options: GatewayOptions) => {
  const { port, allowedHosts, clock = Date.now, onResponse, pages } = options;
  const functions = await loadFunctions();
  for (const client of [database(), databaseWithoutRetries()]) nameCallingFunction(client);
  const limit = pLimit(CONCURRENCY);
  const responseTo = async (request: IncomingMessage): Promise<HttpResponse & { readonly routeKey: string }> => {
    const { method = 'GET', url = '/', headersDistinct } = request;
    if (!isAllowedHost(headersDistinct.host, allowedHosts)) {
      return { ...gatewayResponse(421, MISDIRECTED), routeKey: DEFAULT_ROUTE.routeKey };
    }
    const address = splitTarget(url);
    const path = address.encodedPath;
    // The reason why a page cannot be made is shown: on this machine the reader can fix it.
    const unavailable = (error: Error) => gatewayResponse(500, error.message);
    const isRead = method === 'GET' || method === 'HEAD';
    const page = isRead ? await pages?.(path, originOf(request)).catch(unavailable) : undefined;
    if (page) return { ...page, routeKey: `${method} ${path}` };
    const arrivedAt = new Date(clock());
    const route = chooseRoute(method, path);
    const { routeKey, functionId } = route;
    const body = await readBody(request);
    if (body === undefined || headBytes(request) > MAX_HEAD_BYTES) return { ...TOO_LONG, routeKey };
    const event = httpEvent(request, body, address, route, arrivedAt);
    const call = () => callAs(functionId, () => invoke(functions[functionId], event));
    return { ...(await limit(call)), routeKey };
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now();
    const { statusCode, headers, body, routeKey } = await responseTo(request);
    const framing = statusCode === 204 ? {} : { 'content-length': body.length };
    response.writeHead(statusCode, { ...headers, ...framing }).end(body);
    onResponse?.({ routeKey, status: statusCode, milliseconds: performance.now() - startedAt });
  };
  const server = createServer({ maxHeaderSize: MAX_READ_HEAD_BYTES }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      const aborted = request.destroyed;
      response.destroy();
      if (!aborted) throw error;
    });
  });
  return listen(server, port, '127.0.0.1');
};

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { isAllowedHost, listen, MISDIRECTED } from '../server.ts';
import { authorise, CALLING_FUNCTION } from './permissions.ts';
import {
  type EngineResponse,
  isJsonObject,
  type JsonObject,
  RejectedRequest,
  responseTo,
  unknownOperation,
} from './protocol.ts';

/** The operation, after the prefix of DynamoDB or of KMS. */
const TARGET = /^(?:DynamoDB_20120810|TrentService)\.(\w+)$/;

export type PerformOperation = (operation: string, input: JsonObject) => Promise<EngineResponse>;

export interface ServerAddress {
  /** The port to listen at; 0 for any free one. */
  readonly port: number;
  /** The address to listen at. By default only this machine reaches the server. */
  readonly host?: string | undefined;
  readonly allowedHosts?: readonly string[];
}

const respond = async (
  request: IncomingMessage,
  allowedHosts: readonly string[],
  perform: PerformOperation,
): Promise<EngineResponse> => {
  const { method, headers, headersDistinct } = request;
  if (!isAllowedHost(headersDistinct.host, allowedHosts)) {
    throw new RejectedRequest('MisdirectedRequest', MISDIRECTED, {}, 421);
  }
  // Browsers ask with a preflight request before they send these headers: it fails, so no web page can.
  const operation = TARGET.exec(String(headers['x-amz-target']))?.[1];
  if (method !== 'POST' || operation === undefined) throw unknownOperation();
  if (!headers.authorization?.startsWith('AWS4-')) {
    throw new RejectedRequest('MissingAuthenticationTokenException', 'Request is missing Authentication Token');
  }
  // Read last: a request without valid credentials must not fill the memory.
  const input = await json(request).catch(() => undefined);
  if (!isJsonObject(input)) throw new RejectedRequest('SerializationException', 'The body is not a JSON object');
  const functionId = headers[CALLING_FUNCTION];
  if (functionId !== undefined) authorise(String(functionId), operation, input);
  return perform(operation, input);
};

const send = (response: ServerResponse, { status, body }: EngineResponse): void => {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'content-length': bytes.length });
  response.end(bytes);
};

/**
 * Serves the JSON protocol of DynamoDB and KMS at `host` and `allowedHosts`. Only complete requests reach `perform`; an
 * aborted request affects no other. @throws the listen error
 */
export const startProtocolServer = (
  perform: PerformOperation,
  { port = 0, host = '127.0.0.1', allowedHosts = [] }: Partial<ServerAddress> = {},
) => {
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy());
    respond(request, [host, ...allowedHosts], perform)
      .catch(responseTo)
      .then((result) => send(response, result))
      .catch(() => response.destroy());
  });
  // A timeout could close an idle connection just as an SDK sends its next request on it.
  server.keepAliveTimeout = 0;
  return listen(server, port, host);
};

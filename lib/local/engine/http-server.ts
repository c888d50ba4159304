import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { isAllowedHost, MISDIRECTED } from '../allowed-host.ts';
import { CALLING_FUNCTION } from '../calling-function.ts';
import { authorise } from './permissions.ts';
import {
  type EngineResponse,
  isJsonObject,
  type JsonObject,
  RejectedRequest,
  responseTo,
  unknownOperation,
} from './protocol.ts';

const CONTENT_TYPE = 'application/x-amz-json-1.0';
/** The prefixes of DynamoDB and of KMS. */
const TARGET = /^(?:DynamoDB_20120810|TrentService)\.(\w+)$/;

/** Performs one operation of the API. */
export type PerformOperation = (operation: string, input: JsonObject) => Promise<EngineResponse>;

/** Undefined for a body that is no JSON object, or not whole. */
const readObject = async (request: IncomingMessage): Promise<JsonObject | undefined> => {
  try {
    const value = await json(request);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The custom header and content type also keep web pages out: they make a browser send a preflight request, which fails. The
 * body is read last, so that a stranger cannot fill the memory.
 */
const respond = async (
  request: IncomingMessage,
  allowedHosts: readonly string[],
  performOperation: PerformOperation,
): Promise<EngineResponse> => {
  if (!isAllowedHost(request.headersDistinct.host, allowedHosts)) {
    throw new RejectedRequest('MisdirectedRequest', MISDIRECTED, {}, 421);
  }
  const operation = TARGET.exec(String(request.headers['x-amz-target']))?.[1];
  if (request.method !== 'POST' || operation === undefined) throw unknownOperation();
  if (!request.headers['content-type']?.startsWith('application/')) throw unknownOperation();
  if (!request.headers.authorization?.startsWith('AWS4-')) {
    throw new RejectedRequest('MissingAuthenticationTokenException', 'Request is missing Authentication Token');
  }
  const input = await readObject(request);
  if (input === undefined) throw new RejectedRequest('SerializationException', 'The body is not a JSON object');
  const functionId = request.headers[CALLING_FUNCTION];
  if (functionId !== undefined) authorise(String(functionId), operation, input);
  return performOperation(operation, input);
};

const send = (response: ServerResponse, { status, body }: EngineResponse): void => {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': CONTENT_TYPE,
    'content-length': bytes.length,
    'x-amzn-requestid': randomUUID(),
    'x-amz-crc32': crc32(bytes),
  });
  response.end(bytes);
};

/**
 * A server for the JSON protocol of DynamoDB, which is also that of KMS. Only complete requests to this machine or an allowed host reach
 * `performOperation`; an aborted request affects nothing else.
 */
export const createProtocolServer = (allowedHosts: readonly string[], performOperation: PerformOperation): Server => {
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy());
    respond(request, allowedHosts, performOperation)
      .catch(responseTo)
      .then((result) => send(response, result))
      .catch(() => response.destroy());
  });
  // A timeout could close an idle connection just as an SDK sends its next request on it.
  server.keepAliveTimeout = 0;
  return server;
};

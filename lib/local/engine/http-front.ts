import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { isAllowedHost, MISDIRECTED } from '../allowed-host.ts';
import { type Answer, INTERNAL_FAILURE, isJsonObject, type JsonObject, refusal } from './protocol.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const CONTENT_TYPE = 'application/x-amz-json-1.0';
const TARGET = /^DynamoDB_20120810\.(\w+)$/;

/** Answers one operation of the API. */
export type AnswerOperation = (operation: string, input: JsonObject) => Promise<Answer>;

const UNKNOWN_OPERATION = refusal('service', 'UnknownOperationException', 'The operation is not known');
const NOT_JSON = refusal('service', 'SerializationException', 'The body is not a JSON object');
const NOT_SIGNED = refusal('service', 'MissingAuthenticationTokenException', 'Request is missing Authentication Token');
const TOO_LARGE: Answer = { ...refusal('service', 'RequestEntityTooLarge', 'The body is too large'), status: 413 };
const FOREIGN_HOST: Answer = { ...refusal('service', 'MisdirectedRequest', MISDIRECTED), status: 421 };

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
};

const parseObject = (body: Buffer): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The custom header and content type also keep web pages out: a browser asks before it sends them, and gets no leave. */
const answerRequest = async (
  request: IncomingMessage,
  allowedHosts: readonly string[],
  answerOperation: AnswerOperation,
): Promise<Answer> => {
  const body = await readBody(request);
  if (body === undefined) return TOO_LARGE;
  if (!isAllowedHost(request.headersDistinct.host, allowedHosts)) return FOREIGN_HOST;
  const operation = TARGET.exec(String(request.headers['x-amz-target']))?.[1];
  if (request.method !== 'POST' || operation === undefined) return UNKNOWN_OPERATION;
  if (!request.headers['content-type']?.startsWith('application/')) return UNKNOWN_OPERATION;
  if (!request.headers.authorization?.startsWith('AWS4-')) return NOT_SIGNED;
  const input = parseObject(body);
  return input === undefined ? NOT_JSON : answerOperation(operation, input);
};

const send = (response: ServerResponse, { status, body }: Answer): void => {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': CONTENT_TYPE,
    'content-length': bytes.length,
    'x-amzn-requestid': randomUUID(),
    'x-amz-crc32': crc32(bytes),
    ...(status === TOO_LARGE.status ? { connection: 'close' } : {}),
  });
  response.end(bytes);
};

/**
 * A server of DynamoDB's JSON protocol. Only whole requests to this machine or an allowed host reach `answerOperation`;
 * a broken one ends by itself.
 */
export const createHttpFront = (allowedHosts: readonly string[], answerOperation: AnswerOperation): Server => {
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy());
    answerRequest(request, allowedHosts, answerOperation)
      .catch(() => INTERNAL_FAILURE)
      .then((answer) => send(response, answer))
      .catch(() => response.destroy());
  });
  // An idle connection closed here could be just the one on which an SDK sends its next request.
  server.keepAliveTimeout = 0;
  return server;
};

import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Route } from './routes.ts';

/** Maximum bytes of a body that API Gateway accepts. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** The whole body; undefined when it is larger than API Gateway accepts. */
export const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // The rest is read too, so that the caller receives the response.
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
};

/** A request's path and query, not yet decoded. */
interface Address {
  readonly encodedPath: string;
  readonly rawQueryString: string;
}

/** Splits a request target, also an absolute one (`GET http://host/path`). */
export const splitTarget = (target: string): Address => {
  const withoutOrigin = target.replace(/^https?:\/\/[^/?]*/i, '');
  const [encodedPath = '', ...query] = withoutOrigin.split('?');
  return { encodedPath: encodedPath || '/', rawQueryString: query.join('?') };
};

/** The decoded text; the text itself when an escape sequence is malformed. */
const decoded = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
};

const TEXT_TYPE = /^(text\/|application\/([a-z0-9.+-]+\+)?(json|xml|javascript))/i;

/** A body that is not valid UTF-8 is base64-encoded whatever its media type: as text it would be damaged. */
const bodyMembers = (body: Buffer, contentType: string) => {
  if (body.length === 0) return { isBase64Encoded: false };
  const isText = TEXT_TYPE.test(contentType) && isUtf8(body);
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
};

/**
 * The event of an HTTP API (payload format 2.0), with the members that functions read: the path decoded, the query
 * unchanged, the values of repeated headers joined with commas.
 */
export const httpEvent = (
  request: IncomingMessage,
  body: Buffer,
  { encodedPath, rawQueryString }: Address,
  { parameters }: Pick<Route, 'parameters'>,
  arrivedAt: Date,
) => {
  const rawPath = encodedPath.split('/').map(decoded).join('/');
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, String(values)]),
  );
  return {
    rawPath,
    rawQueryString,
    headers,
    requestContext: {
      http: { method: request.method ?? 'GET', sourceIp: request.socket.remoteAddress ?? '127.0.0.1' },
      requestId: randomUUID(),
      timeEpoch: arrivedAt.getTime(),
    },
    pathParameters: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decoded(value)])),
    ...bodyMembers(body, headers['content-type'] ?? ''),
  };
};

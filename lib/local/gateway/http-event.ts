import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { RouteMatch } from './routes.ts';

/** Maximum bytes of a body that API Gateway accepts. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Bytes after which a caller that keeps sending is disconnected. */
const MAX_READ_BYTES = 8 * MAX_BODY_BYTES;

/**
 * The whole body, or undefined when it exceeds API Gateway's 10 MB. An oversized body is read to its end and discarded, so that
 * a caller that is still sending receives the response.
 */
export const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > MAX_READ_BYTES) break;
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
};

/** A request's path and query, not yet decoded. */
export interface Address {
  readonly encodedPath: string;
  readonly rawQueryString: string;
}

/** Splits a request target; the absolute form (`GET http://host/path`) names the same resource as its path. */
export const splitTarget = (target: string): Address => {
  const withoutOrigin = target.replace(/^https?:\/\/[^/?]*/i, '');
  const [encodedPath = '', ...query] = withoutOrigin.split('?');
  return { encodedPath: encodedPath || '/', rawQueryString: query.join('?') };
};

/** Decodes the text, or returns it unchanged when an escape sequence is malformed. */
const decoded = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
};

const decodedPath = (encodedPath: string): string => encodedPath.split('/').map(decoded).join('/');

/** The values of repeated names are joined with commas. */
const joined = (values: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

const TEXT_TYPE = /^(text\/|application\/([a-z0-9.+-]+\+)?(json|xml|javascript))/i;

/** A body that is not valid UTF-8 is base64-encoded whatever its media type: as text it would be damaged. */
const bodyMembers = (body: Buffer, contentType: string) => {
  if (body.length === 0) return { isBase64Encoded: false };
  return TEXT_TYPE.test(contentType) && isUtf8(body)
    ? { body: body.toString('utf8'), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true };
};

/** The Common Log Format: `12/Mar/2020:19:03:58 +0000`. */
const commonLogTime = (instant: Date): string => {
  const [, day, month, year, time] = /, (\d+) (\w+) (\d+) ([\d:]+)/.exec(instant.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
};

const requestContext = (request: IncomingMessage, path: string, routeKey: string, arrivedAt: Date) => ({
  accountId: '000000000000',
  apiId: 'local',
  domainName: request.headers.host ?? 'localhost',
  domainPrefix: 'local',
  http: {
    method: request.method ?? 'GET',
    path,
    protocol: `HTTP/${request.httpVersion}`,
    sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
    userAgent: request.headers['user-agent'] ?? '',
  },
  requestId: randomUUID(),
  routeKey,
  stage: '$default',
  time: commonLogTime(arrivedAt),
  timeEpoch: arrivedAt.getTime(),
});

/**
 * The event that an HTTP API sends for a request (payload format 2.0): header names in lower case, cookies separate, the path
 * decoded, the query unchanged, absent members omitted rather than null.
 */
export const httpEvent = (
  request: IncomingMessage,
  body: Buffer,
  { encodedPath, rawQueryString }: Address,
  { route, parameters }: RouteMatch,
  arrivedAt: Date,
): APIGatewayProxyEventV2 => {
  const rawPath = decodedPath(encodedPath);
  const { cookie = [], ...others } = request.headersDistinct;
  const cookies = cookie.flatMap((value) => value.split(/; ?/));
  const headers = joined(others);
  const query = joined(parse(rawQueryString, '&', '=', { maxKeys: 0 }));
  const pathParameters = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decoded(value)]));
  return {
    version: '2.0',
    routeKey: route.key,
    rawPath,
    rawQueryString,
    ...(cookies.length > 0 ? { cookies } : {}),
    headers,
    ...(Object.keys(query).length > 0 ? { queryStringParameters: query } : {}),
    requestContext: requestContext(request, rawPath, route.key, arrivedAt),
    ...(Object.keys(pathParameters).length > 0 ? { pathParameters } : {}),
    ...bodyMembers(body, headers['content-type'] ?? ''),
  };
};

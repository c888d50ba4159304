import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { RouteMatch } from './routes.ts';

/** A request's address, split but not yet decoded. */
export interface Address {
  readonly encodedPath: string;
  readonly rawQueryString: string;
}

/** Splits a request target; the absolute form (`GET http://host/path`) names the same resource as its path. */
export const addressOf = (target: string): Address => {
  const withoutOrigin = target.replace(/^https?:\/\/[^/?]*/i, '');
  const [encodedPath = '', ...query] = withoutOrigin.split('?');
  return { encodedPath: encodedPath || '/', rawQueryString: query.join('?') };
};

/** Decodes what is well-formed and leaves the rest as it came: a bad escape is the caller's fault, not a crash. */
const decoded = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
};

const decodedPath = (encodedPath: string): string => encodedPath.split('/').map(decoded).join('/');

/** Repeated names join their values with commas. */
const joined = (pairs: Iterable<readonly [string, string]>): Record<string, string> => {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const list = values.get(name);
    if (list) list.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, list.join(',')]));
};

const headerPairs = (rawHeaders: readonly string[]): [string, string][] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    (rawHeaders[2 * index] ?? '').toLowerCase(),
    rawHeaders[2 * index + 1] ?? '',
  ]);

const TEXT_TYPE = /^(text\/|application\/([a-z0-9.+-]+\+)?(json|xml|javascript))/i;

/** Bytes that are no text, whatever their type says, arrive base64-encoded: as text they would be damaged. */
const bodyMembers = (body: Buffer, contentType: string) => {
  if (body.length === 0) return { isBase64Encoded: false };
  return TEXT_TYPE.test(contentType) && isUtf8(body)
    ? { body: body.toString('utf8'), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true };
};

/** `12/Mar/2020:19:03:58 +0000`, as access logs write time. */
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
 * The event that API Gateway HTTP API (payload 2.0) sends for a request: names of headers in lower case, cookies apart,
 * path decoded, query untouched, absent members left out rather than null.
 */
export const httpEvent = (
  request: IncomingMessage,
  body: Buffer,
  { encodedPath, rawQueryString }: Address,
  { route, parameters }: RouteMatch,
  arrivedAt: Date,
): APIGatewayProxyEventV2 => {
  const rawPath = decodedPath(encodedPath);
  const pairs = headerPairs(request.rawHeaders);
  const cookies = pairs.flatMap(([name, value]) => (name === 'cookie' ? value.split(/; ?/) : []));
  const headers = joined(pairs.filter(([name]) => name !== 'cookie'));
  const query = joined(new URLSearchParams(rawQueryString));
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

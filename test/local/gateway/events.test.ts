import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { addressOf, httpEvent } from '../../../lib/local/gateway/http-event.ts';
import { gatewayResponse, invoke } from '../../../lib/local/gateway/invocation.ts';
import { chooseRoute } from '../../../lib/local/gateway/routes.ts';

const ARRIVED = new Date('2026-06-15T12:00:10.000Z');
let port: number;
let last: APIGatewayProxyEventV2;

const read = async (request: IncomingMessage) => Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));

const server = createServer(async (request, response) => {
  const address = addressOf(request.url ?? '');
  const match = chooseRoute(request.method ?? '', address.encodedPath);
  last = httpEvent(request, await read(request), address, match, ARRIVED);
  response.end();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** The event of a request, sent byte for byte. */
const eventOf = async (head: string[], body: string | Buffer = ''): Promise<APIGatewayProxyEventV2> => {
  const lines = [...head, 'Host: api.example', 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`];
  await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      socket.write(body);
    });
    socket.on('close', resolve).on('error', reject).resume();
  });
  return last;
};

describe('An HTTP API event', () => {
  it('has the members of payload format 2.0 and omits absent ones', async () => {
    const event = await eventOf(['GET /v1/nothing HTTP/1.1', 'User-Agent: tester']);
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: '$default',
      rawPath: '/v1/nothing',
      rawQueryString: '',
      isBase64Encoded: false,
      requestContext: {
        http: { method: 'GET', path: '/v1/nothing', protocol: 'HTTP/1.1', userAgent: 'tester' },
        routeKey: '$default',
        stage: '$default',
        time: '15/Jun/2026:12:00:10 +0000',
        timeEpoch: ARRIVED.getTime(),
      },
    });
    for (const absent of ['body', 'cookies', 'pathParameters', 'queryStringParameters'])
      expect(event).not.toHaveProperty(absent);
  });

  it('decodes path and path parameters once and leaves the query unchanged', async () => {
    const event = await eventOf(['GET /v1/vehicle/AB12%20C%25DE/insurance?q=a%20b&q=c&x= HTTP/1.1']);
    expect(event.routeKey).toBe('GET /v1/vehicle/{registration}/insurance');
    expect(event.rawPath).toBe('/v1/vehicle/AB12 C%DE/insurance');
    expect(event.pathParameters).toEqual({ registration: 'AB12 C%DE' });
    expect(event.rawQueryString).toBe('q=a%20b&q=c&x=');
    expect(event.queryStringParameters).toEqual({ q: 'a b,c', x: '' });
  });

  it('keeps a malformed escape sequence unchanged', async () => {
    const event = await eventOf(['GET /v1/compliance/%ZZ%E0%A4 HTTP/1.1']);
    expect(event.pathParameters).toEqual({ registration: '%ZZ%E0%A4' });
  });

  it('has lower-case header names, joined repeated headers and separate cookies', async () => {
    const event = await eventOf([
      'GET / HTTP/1.1',
      'X-Api-Key: a',
      'X-API-KEY: b',
      'Cookie: one=1; two=2',
      'Authorization: Bearer x',
      'authorization: Bearer y',
    ]);
    expect(event.headers).toMatchObject({ 'x-api-key': 'a,b', authorization: 'Bearer x,Bearer y' });
    expect(event.headers).not.toHaveProperty('cookie');
    expect(event.cookies).toEqual(['one=1', 'two=2']);
  });

  it.each([
    ['application/json', false],
    ['application/problem+json; charset=utf-8', false],
    ['text/csv', false],
    ['application/xml', false],
    ['application/octet-stream', true],
    ['application/x-www-form-urlencoded', true],
  ])('has a body of %s as text or base64 (%s)', async (type, base64) => {
    const event = await eventOf(['POST /v1/api/content HTTP/1.1', `Content-Type: ${type}`], 'héllo');
    expect(event.isBase64Encoded).toBe(base64);
    expect(Buffer.from(event.body ?? '', base64 ? 'base64' : 'utf8').toString()).toBe('héllo');
  });
});

describe('A body that is not UTF-8', () => {
  it('is base64-encoded byte for byte, even with the media type of JSON', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xed, 0xa0, 0x80, 0x7d]);
    const event = await eventOf(['POST /v1/api/content HTTP/1.1', 'Content-Type: application/json'], bytes);
    expect(event.isBase64Encoded).toBe(true);
    expect(Buffer.from(event.body ?? '', 'base64')).toEqual(bytes);
  });
});

describe('A route', () => {
  it.each([
    ['GET', '/v1/api/content', 'GET /v1/api/content'],
    ['GET', '/v1/api/content/x', 'GET /v1/api/content/{id}'],
    ['GET', '/api/content/x', 'GET /api/content/{id}'],
    ['GET', '/v1/api/content/', '$default'],
    ['GET', '/v1/vehicle//insurance', '$default'],
    ['HEAD', '/v1/api/content', '$default'],
    ['POST', '/v1/vehicle/bulk-insurance', 'POST /v1/vehicle/bulk-insurance'],
  ])('for %s %s is %s', (method, path, key) => {
    expect(chooseRoute(method, path).route.key).toBe(key);
  });
});

describe('A function’s result', () => {
  const responseTo = (result: unknown) => invoke(async () => result, 'f', {});

  it.each([
    ['a text', 'hello', 200, '"hello"'],
    ['an object without a status', { a: 1 }, 200, '{"a":1}'],
    ['nothing', undefined, 200, 'null'],
    ['a base64 body', { statusCode: 201, body: 'aGk=', isBase64Encoded: true }, 201, 'hi'],
  ])('that is %s becomes a response', async (_what, result, status, body) => {
    const { statusCode, body: bytes } = await responseTo(result);
    expect([statusCode, bytes.toString()]).toEqual([status, body]);
  });

  it('with cookies has a Set-Cookie header for each', async () => {
    const { headers } = await responseTo({ statusCode: 200, cookies: ['a=1', 'b=2'], headers: { 'X-N': 5 } });
    expect(headers).toEqual({ 'set-cookie': ['a=1', 'b=2'], 'x-n': '5' });
  });

  it('over 6,291,556 bytes, or an exception, becomes a 500 without details', async () => {
    const internal = gatewayResponse(500, 'Internal Server Error');
    expect(await responseTo({ statusCode: 200, body: 'x'.repeat(6_291_556) })).toEqual(internal);
    expect(await invoke(() => Promise.reject(new Error('secret')), 'f', {})).toEqual(internal);
  });
});

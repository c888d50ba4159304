import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { httpEvent, splitTarget } from '../../../local/gateway/http-event.ts';
import { gatewayResponse, invoke } from '../../../local/gateway/invocation.ts';
import { chooseRoute } from '../../../local/gateway/routes.ts';

const ARRIVED = new Date('2026-06-15T12:00:10.000Z');
let last: APIGatewayProxyEventV2;

const server = createServer(async (request, response) => {
  const address = splitTarget(request.url ?? '');
  const match = chooseRoute(request.method ?? '', address.encodedPath);
  last = httpEvent(request, await buffer(request), address, match, ARRIVED);
  response.end();
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void server.close().closeAllConnections());

/** The event of a request, sent byte for byte. */
const eventOf = async (head: string[], body: string | Buffer = ''): Promise<APIGatewayProxyEventV2> => {
  const lines = [...head, 'Host: api.example', 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`];
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  await once(socket.resume(), 'close');
  return last;
};

describe('An HTTP API event', () => {
  it('has the members of payload format 2.0 and omits absent ones', async () => {
    const event = await eventOf(['GET /v1/nothing HTTP/1.1', 'User-Agent: tester']);
    const { headers: _headers, requestContext, ...members } = event;
    const expected = { version: '2.0', routeKey: '$default', rawPath: '/v1/nothing', rawQueryString: '' };
    expect(members).toEqual({ ...expected, isBase64Encoded: false });
    const http = { method: 'GET', path: '/v1/nothing', protocol: 'HTTP/1.1', userAgent: 'tester' };
    const arrival = { timeEpoch: ARRIVED.getTime() };
    expect(requestContext).toMatchObject({ routeKey: '$default', stage: '$default', http, ...arrival });
  });

  it('decodes path and path parameters once, and leaves the query and malformed escape sequences unchanged', async () => {
    const event = await eventOf(['GET /v1/vehicle/AB12%20C%25DE/insurance?q=a%20b&q=c&x= HTTP/1.1']);
    expect(event).toMatchObject({
      routeKey: 'GET /v1/vehicle/{registration}/insurance',
      rawPath: '/v1/vehicle/AB12 C%DE/insurance',
      pathParameters: { registration: 'AB12 C%DE' },
      rawQueryString: 'q=a%20b&q=c&x=',
      queryStringParameters: { q: 'a b,c', x: '' },
    });
    const malformed = await eventOf(['GET /v1/compliance/%ZZ%E0%A4 HTTP/1.1']);
    expect(malformed.pathParameters).toEqual({ registration: '%ZZ%E0%A4' });
  });

  it('has lower-case header names and joins repeated headers', async () => {
    const repeated = ['X-Api-Key: a', 'X-API-KEY: b', 'Authorization: Bearer x', 'authorization: Bearer y'];
    const event = await eventOf(['GET / HTTP/1.1', ...repeated]);
    expect(event.headers).toMatchObject({ 'x-api-key': 'a,b', authorization: 'Bearer x,Bearer y' });
  });

  const NOT_UTF8 = Buffer.from([0x7b, 0xff, 0xed, 0xa0, 0x80, 0x7d]);
  it.each<[string, string | Buffer, boolean]>([
    ['application/json', 'héllo', false],
    ['text/csv', 'héllo', false],
    ['application/xml', 'héllo', false],
    ['application/octet-stream', 'héllo', true],
    ['application/json', NOT_UTF8, true],
  ])('has a body of %s, %j, as text or base64 (%s)', async (type, body, base64) => {
    const event = await eventOf(['POST /v1/api/content HTTP/1.1', `Content-Type: ${type}`], body);
    expect(event.isBase64Encoded).toBe(base64);
    expect(Buffer.from(event.body ?? '', base64 ? 'base64' : 'utf8')).toEqual(Buffer.from(body));
  });
});

it('A function’s result over 6,291,556 bytes, or an exception, becomes a 500 without details', async () => {
  const internal = gatewayResponse(500, 'Internal Server Error');
  const body = 'x'.repeat(6_291_556);
  expect(await invoke(async () => ({ statusCode: 200, body }), {})).toEqual(internal);
  expect(await invoke(() => Promise.reject(new Error('secret')), {})).toEqual(internal);
});

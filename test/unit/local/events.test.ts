/** What the service reads from an event: test/api/http.test.ts, handlers.test.ts, lookups.test.ts. */
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { httpEvent, splitTarget } from '../../../local/gateway/http-event.ts';
import { gatewayResponse, invoke } from '../../../local/gateway/invocation.ts';
import { chooseRoute } from '../../../local/gateway/routes.ts';

const ARRIVED = new Date('2026-06-15T12:00:10.000Z');

/** The event of a GET with these headers. In `headers` Node drops those that are repeated. */
const eventOf = (target: string, headersDistinct: NodeJS.Dict<string[]> = {}) => {
  const headers = { 'user-agent': 'tester', 'x-api-key': 'a' };
  const request = { method: 'GET', httpVersion: '1.1', headers, headersDistinct, socket: {} };
  const address = splitTarget(target);
  const match = chooseRoute('GET', address.encodedPath);
  return httpEvent(request as unknown as IncomingMessage, Buffer.alloc(0), address, match, ARRIVED);
};

describe('An HTTP API event', () => {
  it('has the members of payload format 2.0 and omits absent ones', () => {
    const { headers: _headers, requestContext, ...members } = eventOf('/v1/nothing');
    const expected = { version: '2.0', routeKey: '$default', rawPath: '/v1/nothing', rawQueryString: '' };
    expect(members).toEqual({ ...expected, isBase64Encoded: false });
    const http = { method: 'GET', path: '/v1/nothing', protocol: 'HTTP/1.1', userAgent: 'tester' };
    const arrival = { timeEpoch: ARRIVED.getTime() };
    expect(requestContext).toMatchObject({ routeKey: '$default', stage: '$default', http, ...arrival });
  });

  it('joins repeated headers', () => {
    const { headers } = eventOf('/', { 'x-api-key': ['a', 'b'], authorization: ['Bearer x', 'Bearer y'] });
    expect(headers).toMatchObject({ 'x-api-key': 'a,b', authorization: 'Bearer x,Bearer y' });
  });
});

it('A function’s result over 6,291,556 bytes, or an exception, becomes a 500 without details', async () => {
  const internal = gatewayResponse(500, 'Internal Server Error');
  const body = 'x'.repeat(6_291_556);
  expect(await invoke(async () => ({ statusCode: 200, body }), {})).toEqual(internal);
  expect(await invoke(() => Promise.reject(new Error('secret')), {})).toEqual(internal);
});

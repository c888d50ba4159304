/** What the service reads from an event: test/api/http.test.ts, handlers.test.ts, lookups.test.ts. */
import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { httpEvent, splitTarget } from '../../../local/gateway/http-event.ts';
import { gatewayResponse, invoke } from '../../../local/gateway/invocation.ts';
import { DEFAULT_ROUTE } from '../../../local/gateway/routes.ts';

it('An HTTP API event has repeated headers joined with commas', () => {
  const headersDistinct = { 'x-api-key': ['a', 'b'], authorization: ['Bearer x', 'Bearer y'] };
  const request = { headersDistinct, socket: {} } as unknown as IncomingMessage;
  const { headers } = httpEvent(request, Buffer.alloc(0), splitTarget('/'), DEFAULT_ROUTE, new Date(0));
  expect(headers).toEqual({ 'x-api-key': 'a,b', authorization: 'Bearer x,Bearer y' });
});

it('A function’s result over 6,291,556 bytes, or an exception, becomes a 500 without details', async () => {
  const internal = gatewayResponse(500, 'Internal Server Error');
  const body = 'x'.repeat(6_291_556);
  expect(await invoke(async () => ({ statusCode: 200, body }), {})).toEqual(internal);
  expect(await invoke(() => Promise.reject(new Error('secret')), {})).toEqual(internal);
});

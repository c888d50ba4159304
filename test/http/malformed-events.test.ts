import { describe, expect, it } from '@jest/globals';
import type { Context } from 'aws-lambda';
import type { GatewayHandler } from '../../functions/http/http-function.ts';
import { NOON } from '../support/clock.ts';
import { fillDomain } from '../support/content.ts';
import { testApi } from '../support/test-api.ts';

const api = testApi();

const invoke = async (name: string, event: object, context?: unknown) => {
  const { handler } = (await import(`../../functions/endpoints/${name}/handler.ts`)) as { handler: GatewayHandler };
  const common = { headers: { 'x-api-key': api.key }, requestContext: { requestId: 'r-1', timeEpoch: NOON } };
  return handler({ ...common, ...event }, context as Context);
};

describe('A malformed event', () => {
  it.each([
    [400, 'vehicle-insurance', {}, {}],
    [400, 'vehicle-insurance', { pathParameters: null }, {}],
    [400, 'compliance', {}, {}],
    [400, 'compliance', { pathParameters: null }, {}],
    [404, 'read-content', {}, undefined],
    [404, 'read-content', {}, null],
    [404, 'delete-content', {}, {}],
  ])('gets %i when it lacks path parameters or the Lambda context: %s %j %j', async (status, name, event, context) => {
    expect(await invoke(name, event, context)).toMatchObject({ statusCode: status });
  });

  it('cannot inject response headers through its path or request id', async () => {
    await fillDomain(api.engine.client, api.engine.names.content, 'a.example', 2);
    const { headers } = await invoke('list-content', {
      rawPath: '/\r\nX-Injected: 1',
      rawQueryString: 'limit=1',
      requestContext: { requestId: '\r\nX-Injected: 1', timeEpoch: NOON },
    });
    expect(headers).toMatchObject({ 'X-Request-Id': '', Link: '</v1/api/content?limit=1&offset=1>; rel="next"' });
  });
});

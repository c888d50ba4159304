import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from 'aws-lambda';
import type { GatewayEvent } from '../../functions/middleware/request-context.ts';
import type { GatewayHandler } from '../../functions/middleware/stack.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { NOON } from '../support/clock.ts';
import { fillDomain } from '../support/content.ts';

let api: TestApi;
let key: string;
beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
});
afterAll(() => api.stop());

const invoke = async (name: string, event: GatewayEvent, context?: unknown) => {
  const { handler } = (await import(`../../functions/handlers/${name}.ts`)) as { handler: GatewayHandler };
  const common = { headers: { 'x-api-key': key }, requestContext: { requestId: 'r-1', timeEpoch: NOON } };
  return handler({ ...common, ...event }, context as Context);
};

describe('An event that no gateway sends', () => {
  it.each(['vehicle-insurance', 'compliance'])('without path parameters names no vehicle: %s', async (name) => {
    expect(await invoke(name, {})).toMatchObject({ statusCode: 400 });
    expect(await invoke(name, { pathParameters: null })).toMatchObject({ statusCode: 400 });
  });

  it.each(['read-content', 'delete-content'])('without path parameters names no item: %s', async (name) => {
    expect(await invoke(name, {})).toMatchObject({ statusCode: 404 });
  });

  it.each([undefined, null])('is answered without a context: %s', async (context) => {
    expect(await invoke('read-content', {}, context)).toMatchObject({ statusCode: 404 });
  });

  it('puts nothing into a header that a header cannot carry', async () => {
    await fillDomain(api.engine.client, api.engine.names.content, 'a.example', 2);
    const { headers } = await invoke('list-content', {
      rawPath: '/\r\nX-Injected: 1',
      rawQueryString: 'limit=1',
      requestContext: { requestId: '\r\nX-Injected: 1', timeEpoch: NOON },
    });
    expect(headers).toMatchObject({ 'X-Request-Id': '', Link: '</v1/api/content?limit=1&offset=1>; rel="next"' });
  });
});

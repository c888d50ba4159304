/** https://middy.js.org/docs/intro/getting-started, with the official middlewares of an HTTP API. */
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpEventNormalizer from '@middy/http-event-normalizer';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpResponseSerializer from '@middy/http-response-serializer';
import httpSecurityHeaders from '@middy/http-security-headers';
import { createError } from '@middy/util';
import { lookUp } from '../raw-handler.ts';

const json = { regex: /^application\/json$/, serializer: ({ body }: { body: unknown }) => JSON.stringify(body) };

export const handler = middy()
  .use(httpEventNormalizer())
  .use(httpHeaderNormalizer())
  .use(httpSecurityHeaders())
  .use(httpResponseSerializer({ serializers: [json], defaultContentType: 'application/json' }))
  .use(httpErrorHandler())
  .handler(async (event) => {
    const body = await lookUp(event.pathParameters.registration);
    if (!body) throw createError(404, 'unknown vehicle');
    return { statusCode: 200, body };
  });

/** https://middy.js.org/docs/intro/getting-started, with the official middlewares of an HTTP API. */
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpEventNormalizer from '@middy/http-event-normalizer';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpResponseSerializer from '@middy/http-response-serializer';
import httpSecurityHeaders from '@middy/http-security-headers';
import { createError } from '@middy/util';
import validator from '@middy/validator';
import { logRequest, openLog } from '../../core/runtime/log.ts';
import * as stock from '../stock-lookup.ts';
import eventSchema from './schemas.ts?compiled';

openLog();
const json = { regex: /^application\/json$/, serializer: ({ body }: { body: unknown }) => JSON.stringify(body) };

type LookupRequest = middy.Request & { readonly context: { lookup: stock.Lookup } };

const logAndHeaders = () => {
  const finish = ({ context: { lookup }, response }: LookupRequest): void => {
    Object.assign(response.headers, stock.limitHeaders(lookup));
    logRequest(stock.logFields(lookup, response.statusCode));
  };
  return {
    before: ({ event, context }: LookupRequest) => {
      context.lookup = stock.openLookup(event);
    },
    after: finish,
    onError: finish,
  };
};

const admission = () => ({
  before: ({ event, context }: LookupRequest) => stock.admit(context.lookup, event.pathParameters.registration),
});

const problems = () => ({
  onError: (request: LookupRequest) => {
    const { event, context, error } = request;
    const cause = error?.cause as { readonly package?: string } | undefined;
    const isInvalid = cause?.package === '@middy/validator';
    const found = isInvalid ? stock.invalid(event.pathParameters.registration) : error;
    const { status, headers, body } = stock.problemDocument(context.lookup, found);
    request.error = Object.assign(createError(status, JSON.stringify(body)), { expose: true, headers });
  },
});

export const handler = middy()
  .use(logAndHeaders())
  .use(httpEventNormalizer())
  .use(httpHeaderNormalizer())
  .use(httpSecurityHeaders())
  .use(httpResponseSerializer({ serializers: [json], defaultContentType: 'application/json' }))
  .use(httpErrorHandler({ logger: false }))
  .use(problems())
  .use(admission())
  .use(validator({ eventSchema }))
  .handler(async ({ pathParameters, queryStringParameters }, { lookup }) => {
    const body = await stock.answer(lookup, pathParameters.registration, queryStringParameters.date);
    return { statusCode: 200, body };
  });

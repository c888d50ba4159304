import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { DeadlineExceeded } from '../../core/runtime/deadline.ts';
import { apiKey } from './api-key.ts';
import type { HttpFunction } from './endpoint-definition.ts';
import { problemDocuments } from './problem-documents.ts';
import { type Middleware, RESPONSE_MARGIN_MS, requestContext } from './request.ts';
import { requestLog } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';

/**
 * Middy with the middlewares with which every function begins. The function goes on with `use`, in the order of
 * docs/contract.md#precedence, and ends with `handler`. It responds to every error instead of throwing.
 * @param ofEveryResponse middlewares that also see the responses to errors
 */
export const apiChain = (endpoint: Pick<HttpFunction, 'id' | 'paths'>, ...ofEveryResponse: Middleware[]) =>
  middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>({
    timeoutEarlyInMillis: RESPONSE_MARGIN_MS,
    timeoutEarlyResponse: () => {
      throw new DeadlineExceeded();
    },
  })
    .use(requestContext(endpoint))
    .use(requestLog(endpoint.id))
    .use(responseHeaders())
    .use(ofEveryResponse)
    .use(problemDocuments())
    .use(apiKey());

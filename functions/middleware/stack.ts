import middy from '@middy/core';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Caller } from '../access/admission.ts';
import type { Answer } from './api-request.ts';
import { problemDocuments } from './problem-documents.ts';
import { type GatewayEvent, type InboundMiddleware, type RequestContext, requestContextOf } from './request-context.ts';
import { reportInternalError, requestLog } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';

/** A Lambda handler for API Gateway. It returns a response for every error and never throws. */
export type GatewayHandler = (event: GatewayEvent, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** The context of a request whose caller is admitted. */
export type AdmittedContext = RequestContext & { readonly caller: Caller };

interface StackOptions {
  /** The endpoint's id, for the log. */
  readonly endpoint: string;
  readonly successStatus: number;
  /** In the order in which they run: key form, admission, input. */
  readonly middlewares: readonly InboundMiddleware[];
  readonly respond: (context: AdmittedContext) => Answer | Promise<Answer>;
}

const responseOf = (statusCode: number, { body, headers = {} }: Answer): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)),
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

/**
 * The middlewares of every request, outermost first: request log and id, response headers, errors to problem documents, then
 * the endpoint's own middlewares and its handler. middy's event is the request context.
 */
export const stack = ({ endpoint, successStatus, middlewares, respond }: StackOptions): GatewayHandler => {
  const answer = async (context: RequestContext) => {
    const answered = await context.deadline.within(Promise.resolve(respond(context as AdmittedContext)));
    if (answered.failure !== undefined) reportInternalError(context, answered.failure);
    return responseOf(successStatus, answered);
  };
  const handler = middy<RequestContext, APIGatewayProxyStructuredResultV2, Error, Context>(answer, {
    timeoutEarlyInMillis: 0,
  })
    .use(requestLog(endpoint))
    .use(responseHeaders())
    .use(problemDocuments());
  for (const middleware of middlewares) handler.use(middleware);
  const invoke = handler as unknown as (
    context: RequestContext,
    lambda: object,
  ) => Promise<APIGatewayProxyStructuredResultV2>;
  // middy reads Lambda's context before it listens for errors.
  return (event, lambda) => invoke(requestContextOf(event, lambda), lambda ?? {});
};

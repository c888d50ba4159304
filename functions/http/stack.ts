import middy from '@middy/core';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { type Caller, remainingOf } from '../../core/access/admission.ts';
import { windowAt } from '../../core/access/plans.ts';
import { problemDocuments } from './problem-documents.ts';
import {
  type GatewayEvent,
  type InboundMiddleware,
  isSandbox,
  type RequestContext,
  requestContextOf,
  type StackRequest,
} from './request-context.ts';
import { reportInternalError, requestLog } from './request-log.ts';

/** A Lambda handler for API Gateway. It returns a response for every error and never throws. */
export type GatewayHandler = (event: GatewayEvent, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** The context of a request whose caller is admitted. */
export type AdmittedContext = RequestContext & { readonly caller: Caller };

/** What a handler returns. The stack adds the status and the headers of every response. */
export interface Answer {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Why a part of the body is missing (`LOOKUP_UNAVAILABLE`); logged, never sent. */
  readonly failure?: unknown;
}

interface StackOptions {
  /** The endpoint's id, for the log. */
  readonly endpoint: string;
  readonly successStatus: number;
  /** In the order in which they run: key form, admission, input. */
  readonly middlewares: readonly InboundMiddleware[];
  readonly respond: (context: AdmittedContext) => Answer | Promise<Answer>;
}

/** The caller's rate limit status. Limit and remaining quota are 0 when the caller is unknown (docs/contract.md#every-response). */
const rateLimitHeaders = ({ caller, now }: RequestContext) => ({
  'X-RateLimit-Limit': String(caller?.plan.requestsPerWindow ?? 0),
  'X-RateLimit-Remaining': String(caller ? remainingOf(caller) : 0),
  'X-RateLimit-Reset': String(windowAt(now).end),
});

const addHeaders = ({ event: context, response }: StackRequest): void => {
  if (!response) return;
  response.headers = {
    ...response.headers,
    ...rateLimitHeaders(context),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(isSandbox(context) && { 'X-Sandbox': 'true' }),
  };
};

/** The headers of every response, whatever its status. */
const responseHeaders = () => ({ after: addHeaders, onError: addHeaders });

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

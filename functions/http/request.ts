import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { PresentedKey } from '../../core/access/api-key.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import type { ApiError } from '../../core/problems.ts';
import { type LondonDate, londonDate } from '../../core/runtime/clock.ts';
import { type Deadline, deadlineIn } from '../../core/runtime/deadline.ts';
import type { RequestLog } from '../../core/runtime/log.ts';
import { FUNCTION_TIMEOUT_SECONDS, type HttpFunction } from './endpoint-definition.ts';

export type GatewayHandler = (event: unknown, context?: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** What an event says about its request. A text that it lacks is empty. */
interface RequestFacts {
  readonly requestId: string;
  /** The time at which the request arrived at the gateway, which all rules and stored times use. */
  readonly now: Date;
  readonly today: LondonDate;
  readonly deadline: Deadline;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly method: string;
  /** The path, which the gateway has decoded. */
  readonly path: string;
  /** The path with the requested prefix, `/v1/api` or `/api` (docs/contract.md#addresses-and-versions). */
  readonly address: string;
  readonly pathParameters: Readonly<Record<string, string | undefined>>;
  /** The query as it was sent: not decoded, and without the question mark. */
  readonly query: string;
  /** The address of the caller, as API Gateway sees it. No header that says another one is read. */
  readonly sourceIp: string;
  readonly startedAtMs: number;
  /** What middlewares let `auth` start while it counts the request. */
  readonly whileCounting: (() => void)[];
  /** What middlewares leave for the log line. */
  readonly logged: Partial<RequestLog>;
}

/** middy's `request.context`: Lambda's context, the checked event, and values that middlewares leave for each other. */
export interface RequestContext extends Context, RequestFacts {
  /** The key of the request. It is well-formed, but may be unknown, expired or revoked. */
  key?: PresentedKey;
  caller?: Caller;
  /** The error of the path, which validation throws together with other issues. */
  pathError?: ApiError;
  /** Takes the units of a bulk request, or returns its error; absent once it was called. */
  takeUnits?: ((units: number) => Promise<ApiError | undefined>) | undefined;
  /** The caller's own reference of a lookup, once the request is valid. */
  reference?: string | undefined;
}

/**
 * middy's request. Its context also has `Found`, the values that earlier middlewares have added. Parts of its event
 * (payload 2.0) may be missing.
 */
export type HttpRequest<Found = unknown> = Request<
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Error,
  RequestContext & Found
>;

/**
 * A middleware that needs or adds `Found`. It rejects by throwing: returning a value would skip the response headers.
 */
export type Middleware<Found = unknown> = MiddlewareObj<
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Error,
  RequestContext & Found
>;

/** Unix milliseconds of the earliest valid time. SAM CLI 1.170 sends seconds, which would be in January 1970. */
const FIRST_INSTANT = Date.UTC(2020, 0, 1);
/** Subtracted from the function's remaining time, so that the response is sent before Lambda's timeout. */
export const RESPONSE_MARGIN_MS = 1_000;

/** Reads an event, of which parts may be missing, but not its body. */
export const readEvent = (
  event: Partial<APIGatewayProxyEventV2>,
  lambda: Partial<Context> | undefined,
  paths: readonly [string, ...string[]],
): RequestFacts => {
  const gateway: Partial<APIGatewayProxyEventV2['requestContext']> = event.requestContext ?? {};
  const { method = '', sourceIp = '' }: Partial<typeof gateway.http> = gateway.http ?? {};
  const { timeEpoch = 0 } = gateway;
  const now = timeEpoch >= FIRST_INSTANT ? new Date(timeEpoch) : new Date();
  const path = event.rawPath ?? '';
  // Tests and scripts may call a function without Lambda's context.
  const remainingMs = lambda?.getRemainingTimeInMillis?.() ?? FUNCTION_TIMEOUT_SECONDS * 1_000;
  return {
    requestId: gateway.requestId ?? lambda?.awsRequestId ?? '',
    now,
    today: londonDate(now),
    deadline: deadlineIn(Math.max(0, remainingMs - RESPONSE_MARGIN_MS)),
    headers: Object.fromEntries(
      Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    method,
    path,
    // A path that the endpoint does not have comes from a malformed event, and is never repeated in a response.
    address: paths.find((known) => known === path) ?? paths[0],
    pathParameters: event.pathParameters ?? {},
    query: event.rawQueryString ?? '',
    sourceIp,
    startedAtMs: performance.now(),
    whileCounting: [],
    logged: {},
  };
};

export const requestContext = ({ paths }: Pick<HttpFunction, 'paths'>): Middleware => ({
  before: ({ event, context }) => void Object.assign(context, readEvent(event, context, paths)),
});

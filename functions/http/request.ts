import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { PresentedKey } from '../../core/access/api-key.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import type { ApiError } from '../../core/problems.ts';
import { type LondonDate, londonDate } from '../../core/runtime/clock.ts';
import { type Deadline, deadlineIn } from '../../core/runtime/deadline.ts';
import { FUNCTION_TIMEOUT_SECONDS, type HttpFunction } from './endpoint-definition.ts';

export type GatewayHandler = (event: unknown, context?: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** What an event says about its request. A text that a malformed event lacks is empty. */
interface RequestFacts {
  readonly requestId: string;
  /** The time at which the request arrived at the gateway, which all rules and stored times use. */
  readonly now: Date;
  readonly today: LondonDate;
  readonly deadline: Deadline;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  /** The path, which the gateway has decoded. */
  readonly path: string;
  /** The path with the requested prefix, `/v1/api` or `/api` (docs/contract.md#addresses-and-versions). */
  readonly address: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The query as it was sent: not decoded, and without the question mark. */
  readonly query: string;
  /** The address of the caller, as API Gateway sees it. No header that says another one is read. */
  readonly sourceIp: string;
  readonly startedAtMs: number;
}

/** middy's `request.context`: Lambda's context, the checked event, and values that middlewares leave for each other. */
export interface RequestContext extends Context, RequestFacts {
  /** The key of the request. It is well-formed, but may be unknown, expired or revoked. */
  key?: PresentedKey;
  caller?: Caller;
  /** The error of the path, which validation throws together with other issues. */
  pathError?: ApiError;
  startPreload?: () => void;
  /** Takes the units of a bulk request, or returns its error; absent once it was called. */
  takeUnits?: ((units: number) => Promise<ApiError | undefined>) | undefined;
  /** The caller's own reference of a lookup, once the request is valid. */
  reference?: string | undefined;
  // Of the log line and its metrics, as in core/runtime/log.ts.
  units?: number;
  isThrottled?: boolean;
  loggedReference?: string | undefined;
  lookups?: string;
  lostUnits?: number;
  code?: string;
  isForced?: boolean;
  databaseError?: boolean;
}

/**
 * middy's request. Its context also has `Found`, the values that earlier middlewares have added. Parts of its event
 * (payload 2.0) may be missing or of another type than declared.
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

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const textEntries = (value: unknown): [string, string][] =>
  Object.entries(asObject(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Visible ASCII, which a header can carry. Ids from the gateway have no other characters. */
const VISIBLE = /^[!-~]{1,128}$/;

const asId = (value: unknown): string => (VISIBLE.test(asText(value)) ? asText(value) : '');

/** Unix milliseconds of the earliest valid time. SAM CLI 1.170 sends seconds, which would be in January 1970. */
const FIRST_INSTANT = Date.UTC(2020, 0, 1);
/** Unix milliseconds of the latest valid time. Later years have more than four digits. */
const LAST_INSTANT = Date.UTC(9999, 11, 31);

/** The time of a request. It is now when the event has no valid time. */
const toInstant = (timeEpoch: unknown): Date =>
  typeof timeEpoch === 'number' && timeEpoch >= FIRST_INSTANT && timeEpoch <= LAST_INSTANT
    ? new Date(timeEpoch)
    : new Date();

/** Subtracted from the function's remaining time, so that the response is sent before Lambda's timeout. */
export const RESPONSE_MARGIN_MS = 1_000;

/** Reads an event of any shape, but not its body. */
export const readEvent = (
  input: unknown,
  lambda: Partial<Context> | undefined,
  paths: readonly [string, ...string[]],
): RequestFacts => {
  const event = asObject(input);
  const gateway = asObject(event.requestContext);
  const http = asObject(gateway.http);
  const now = toInstant(gateway.timeEpoch);
  const path = asText(event.rawPath);
  // Tests and scripts may call a function without Lambda's context.
  const remainingMs = lambda?.getRemainingTimeInMillis?.() ?? FUNCTION_TIMEOUT_SECONDS * 1_000;
  return {
    requestId: asId(gateway.requestId) || asId(lambda?.awsRequestId),
    now,
    today: londonDate(now),
    deadline: deadlineIn(Math.max(0, remainingMs - RESPONSE_MARGIN_MS)),
    headers: Object.fromEntries(textEntries(event.headers).map(([name, value]) => [name.toLowerCase(), value])),
    method: asText(http.method),
    path,
    // A path that the endpoint does not have comes from a malformed event, and is never repeated in a response.
    address: paths.find((known) => known === path) ?? paths[0],
    pathParameters: Object.fromEntries(textEntries(event.pathParameters)),
    query: asText(event.rawQueryString),
    sourceIp: asText(http.sourceIp),
    startedAtMs: performance.now(),
  };
};

export const requestContext = ({ paths }: Pick<HttpFunction, 'paths'>): Middleware => ({
  before: ({ event, context }) => void Object.assign(context, readEvent(event, context, paths)),
});

import type { Request } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { PresentedKey } from '../../core/access/api-key.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import type { ApiError, ValidationIssue } from '../../core/problems.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
import { type Deadline, deadlineIn } from '../../core/runtime/deadline.ts';
import type { SigningSettings } from '../../core/runtime/environment.ts';
import { FUNCTION_TIMEOUT_SECONDS, type ServedEndpoint } from './endpoint.ts';

/**
 * The request context, middy's `request.internal`: the checked parts of the event, and what middlewares add. A type, because
 * interfaces are not assignable to middy's `Record<string, unknown>`.
 */
export type RequestContext = {
  readonly requestId: string;
  /** When the request arrived, by the gateway's clock. Functions use no other date and time. */
  readonly now: Date;
  readonly deadline: Deadline;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  /** Decoded by the gateway. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly startedAtMs: number;
  /** The well-formed key of the request, set by `keyForm`. */
  key?: PresentedKey;
  /** The validated query, headers and body, as far as the endpoint reads them. */
  input?: object;
  /** The day to answer for, from the query parameter `date`; today when it is absent. */
  date?: LondonDate | undefined;
  caller?: Caller;
  /** With what the answer is signed; undefined for one that is not. */
  signing?: SigningSettings | undefined;
  /** Why the headers alone rule out every answer; only an admitted caller is told. */
  refusal?: ApiError;
  /** What the path names, read while admission runs; undefined where the endpoint loads nothing. */
  loading?: Promise<unknown> | undefined;
  /** Settled when the units of a bulk request's entries are added or lost; it never fails. */
  addingUnits?: Promise<void>;
  /** Units that could not be added, for the metrics. */
  lostUnits?: number;
  /** The error code of the response, for log and metrics. */
  code?: string;
  /** Whether the sandbox forced the error, which metrics do not count. */
  isForced?: boolean;
  /** Whether a request to DynamoDB failed, for the metrics. */
  databaseError?: boolean;
};

/** middy's request. Its event is API Gateway's (payload 2.0), but each part may be missing or of another type than declared. */
export type HttpRequest = Request<
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Error,
  Context,
  RequestContext
>;

/** A middleware that runs before the handler. It rejects by throwing: returning a value would skip the response headers. */
export interface InboundMiddleware {
  readonly before: (request: HttpRequest) => void | Promise<void>;
}

/** What an endpoint reads of a request besides path parameters and the query parameter `date`; its `input.ts` makes it. */
export interface Input<Values extends object = object> {
  /** Check and parse the body, in order; none for an input without a body. */
  readonly parsing: readonly InboundMiddleware[];
  /** Reads query, headers and parsed body. The values have their type only where there is no issue. */
  readonly read: (
    request: HttpRequest,
    row: ServedEndpoint,
  ) => { readonly values: Values; readonly issues: readonly ValidationIssue[] };
}

/** Whether the request's key has the prefix of test keys, which see the sandbox only. The key may be unknown. */
export const isSandbox = ({ key }: Pick<RequestContext, 'key'>): boolean => key?.kind === 'test';

/** Whether the request's key has the prefix of the keys of the service's probe. The key may be unknown. */
export const isProbe = ({ key }: Pick<RequestContext, 'key'>): boolean => key?.kind === 'probe';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Visible ASCII, which a header can carry. Ids from the gateway have no other characters. */
const VISIBLE = /^[!-~]{1,128}$/;

const asId = (value: unknown): string => (VISIBLE.test(asText(value)) ? asText(value) : '');

/** The entries of an object whose values are strings. */
const textEntries = (value: unknown): [string, string][] =>
  isObject(value)
    ? Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : [];

/** Milliseconds. An earlier time is no gateway's: SAM CLI 1.170 sends seconds, which would be in January 1970. */
const FIRST_INSTANT = Date.UTC(2020, 0, 1);
/** Milliseconds. Later years have more than four digits. */
const LAST_INSTANT = Date.UTC(9999, 11, 31);

/** The time of a request; now when the event has none. */
const toInstant = (timeEpoch: unknown): Date =>
  typeof timeEpoch === 'number' && timeEpoch >= FIRST_INSTANT && timeEpoch <= LAST_INSTANT
    ? new Date(timeEpoch)
    : new Date();

/** Subtracted from the function's remaining time, so that the response is sent before the platform's timeout. */
const ANSWER_MARGIN_MS = 1_000;

/** The deadline of a request, from the remaining time of its Lambda context. Tests and scripts may have none. */
const createDeadline = (lambda: Partial<Context> | undefined): Deadline => {
  const remainingMs = lambda?.getRemainingTimeInMillis?.() ?? FUNCTION_TIMEOUT_SECONDS * 1_000;
  return deadlineIn(Math.max(0, remainingMs - ANSWER_MARGIN_MS));
};

/** Creates the context of a request. Accepts an event of any shape, and does not read its body. */
export const createRequestContext = (input: unknown, lambda: Context | undefined): RequestContext => {
  const event = isObject(input) ? input : {};
  const gateway = isObject(event.requestContext) ? event.requestContext : {};
  const http = isObject(gateway.http) ? gateway.http : {};
  return {
    requestId: asId(gateway.requestId) || asId(lambda?.awsRequestId),
    now: toInstant(gateway.timeEpoch),
    deadline: createDeadline(lambda),
    headers: Object.fromEntries(textEntries(event.headers).map(([name, value]) => [name.toLowerCase(), value])),
    method: asText(http.method),
    path: asText(event.rawPath),
    pathParameters: Object.fromEntries(textEntries(event.pathParameters)),
    query: asText(event.rawQueryString),
    startedAtMs: performance.now(),
  };
};

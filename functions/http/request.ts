import type { Request } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { PresentedKey } from '../../core/access/api-key.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import type { ApiError, ValidationIssue } from '../../core/problems.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
import { type Deadline, deadlineIn } from '../../core/runtime/deadline.ts';
import type { SigningSettings } from '../../core/runtime/environment.ts';
import { FUNCTION_TIMEOUT_SECONDS, type ServedEndpoint } from './endpoint-definition.ts';

/**
 * The request context, middy's `request.internal`: the checked parts of the event, and what middlewares add. A type,
 * because interfaces are not assignable to middy's `Record<string, unknown>`.
 */
export type RequestContext = {
  readonly requestId: string;
  /** When the request arrived at the gateway: the only clock of rules and stored times. */
  readonly now: Date;
  readonly deadline: Deadline;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  /** Decoded by the gateway. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Not decoded, without the question mark. */
  readonly query: string;
  readonly startedAtMs: number;
  /** The well-formed key of the request, set by `keyForm`. */
  key?: PresentedKey;
  /** The validated query, headers and body, as far as the endpoint reads them. */
  input?: object;
  /** The day to answer for, from the query parameter `date`; today when it is absent. */
  date?: LondonDate | undefined;
  caller?: Caller;
  /** Undefined unless the answer is signed. */
  signing?: SigningSettings | undefined;
  /** Thrown after admission, in place of any answer. */
  deferredError?: ApiError;
  /** The result of `load`, which runs while admission does; undefined for an endpoint without `load`. */
  loading?: Promise<unknown> | undefined;
  /** Settled when the units of a bulk request are added or lost; it never rejects. */
  addingUnits?: Promise<void>;
  /** Units that could not be added, for the metrics. */
  lostUnits?: number;
  /** The error code of the response, for log and metrics. */
  code?: string;
  /** Whether the sandbox forced the error: metrics do not count it. */
  isForced?: boolean;
  /** Whether a request to DynamoDB failed, for the metrics. */
  databaseError?: boolean;
};

/** middy's request. Parts of its event (payload 2.0) may be missing or of another type than declared. */
export type HttpRequest = Request<
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Error,
  Context,
  RequestContext
>;

/** A middleware of the way in. It rejects by throwing: returning a value would skip the response headers. */
export interface InboundMiddleware {
  readonly before: (request: HttpRequest) => void | Promise<void>;
}

/** The input of an endpoint, besides path parameters and the query parameter `date`; its `input.ts` makes it. */
export interface Input<Values extends object = object> {
  /** Check and parse the body, in order; none for an input without a body. */
  readonly parsing: readonly InboundMiddleware[];
  /** Reads query, headers and parsed body. The values have their declared type only if there is no issue. */
  readonly read: (
    request: HttpRequest,
    row: ServedEndpoint,
  ) => { readonly values: Values; readonly issues: readonly ValidationIssue[] };
}

/** Whether the request's key has the prefix of test keys. The key may be unknown. */
export const isSandbox = ({ key }: Pick<RequestContext, 'key'>): boolean => key?.kind === 'test';

/** Whether the request's key has the prefix of the probe's keys. The key may be unknown. */
export const isProbe = ({ key }: Pick<RequestContext, 'key'>): boolean => key?.kind === 'probe';

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** The entries of an object whose values are strings. */
const textEntries = (value: unknown): [string, string][] =>
  Object.entries(asObject(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Visible ASCII, which a header can carry. Ids from the gateway have no other characters. */
const VISIBLE = /^[!-~]{1,128}$/;

const asId = (value: unknown): string => (VISIBLE.test(asText(value)) ? asText(value) : '');

/** Milliseconds. SAM CLI 1.170 sends seconds, which would be in January 1970. */
const FIRST_INSTANT = Date.UTC(2020, 0, 1);
/** Milliseconds. Later years have more than four digits. */
const LAST_INSTANT = Date.UTC(9999, 11, 31);

/** The time of a request; now when the event has none. */
const toInstant = (timeEpoch: unknown): Date =>
  typeof timeEpoch === 'number' && timeEpoch >= FIRST_INSTANT && timeEpoch <= LAST_INSTANT
    ? new Date(timeEpoch)
    : new Date();

/** Subtracted from the function's remaining time, so that the response is sent before Lambda's timeout. */
const ANSWER_MARGIN_MS = 1_000;

/** Creates the context of a request from an event of any shape. Does not read the event's body. */
export const createRequestContext = (input: unknown, lambda: Partial<Context> | undefined): RequestContext => {
  const event = asObject(input);
  const gateway = asObject(event.requestContext);
  const http = asObject(gateway.http);
  // Tests and scripts may have no remaining time.
  const remainingMs = lambda?.getRemainingTimeInMillis?.() ?? FUNCTION_TIMEOUT_SECONDS * 1_000;
  return {
    requestId: asId(gateway.requestId) || asId(lambda?.awsRequestId),
    now: toInstant(gateway.timeEpoch),
    deadline: deadlineIn(Math.max(0, remainingMs - ANSWER_MARGIN_MS)),
    headers: Object.fromEntries(textEntries(event.headers).map(([name, value]) => [name.toLowerCase(), value])),
    method: asText(http.method),
    path: asText(event.rawPath),
    pathParameters: Object.fromEntries(textEntries(event.pathParameters)),
    query: asText(event.rawQueryString),
    startedAtMs: performance.now(),
  };
};

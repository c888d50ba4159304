import type { Request as MiddyRequest } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Caller } from '../../core/access/admission.ts';
import type { PresentedKey } from '../../core/access/api-key.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
import { type Deadline, deadlineOf } from '../../core/runtime/deadline.ts';

/** The parts of an HTTP API event (payload 2.0) that are read. Each may be missing or of the wrong type. */
export interface GatewayEvent {
  readonly headers?: unknown;
  readonly rawPath?: unknown;
  readonly rawQueryString?: unknown;
  readonly pathParameters?: unknown;
  readonly body?: unknown;
  readonly isBase64Encoded?: unknown;
  readonly requestContext?: {
    readonly requestId?: unknown;
    readonly timeEpoch?: unknown;
    readonly http?: { readonly method?: unknown };
  };
}

/** One request on its way through the stack: the event's parts, then what each middleware adds. */
export interface RequestContext {
  readonly requestId: string;
  /** When the request arrived, by the gateway's clock: the only time that functions use. */
  readonly now: Date;
  readonly deadline: Deadline;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  /** Decoded by the gateway. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly event: GatewayEvent;
  readonly startedAtMs: number;
  /** The well-formed key of the request, set by `keyForm`. */
  key?: PresentedKey;
  /** The body's text, set by `bodyChecks`; then its JSON value, set by the parser. */
  body?: unknown;
  /** The validated query, headers and body that the row declares. */
  input?: { readonly query?: unknown; readonly headers?: unknown; readonly body?: unknown };
  /** The day to answer for, from the query parameter `date`; today when it is absent. */
  date?: LondonDate;
  /** The first error of a middleware that ran before admission; thrown after admission. */
  deferredError?: unknown;
  caller?: Caller;
  /** What a lookup loaded while admission ran. */
  loaded?: { readonly value: unknown };
  /** The error code of the response, for log and metrics. */
  code?: string;
  /** Whether the sandbox forced the error: then it does not count in the metrics. */
  isForced?: boolean;
  /** Whether a request to DynamoDB failed, for the metrics. */
  databaseError?: boolean;
}

/** In this stack middy's event is the request context. */
export type StackRequest = MiddyRequest<RequestContext, APIGatewayProxyStructuredResultV2, Error, Context>;

/** A middleware that runs before the handler. It rejects by throwing: returning a value would skip the response headers. */
export interface InboundMiddleware {
  readonly before: (request: StackRequest) => void | Promise<void>;
}

/** Whether the key of the request is a test key, which sees the sandbox only. It may still not exist. */
export const isSandbox = ({ key }: Pick<RequestContext, 'key'>): boolean => key?.environment === 'test';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Characters that a header can carry. An id with others does not come from the gateway. */
const VISIBLE = /^[!-~]{1,128}$/;

const idOf = (value: unknown): string => (VISIBLE.test(textOf(value)) ? textOf(value) : '');

/** The entries of an object whose values are strings. */
const textsOf = (value: unknown): [string, string][] =>
  isObject(value)
    ? Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : [];

/** Later dates need more than four digits for the year. */
const LAST_INSTANT = Date.UTC(9999, 11, 31);

const instantOf = (timeEpoch: unknown): Date =>
  Number.isSafeInteger(timeEpoch) && Math.abs(timeEpoch as number) <= LAST_INSTANT
    ? new Date(timeEpoch as number)
    : new Date();

/** The context of a new request. Does not trust the event's shape, and does not read its body. */
export const requestContextOf = (input: unknown, lambda: Context | undefined): RequestContext => {
  const event: GatewayEvent = isObject(input) ? input : {};
  const gateway = isObject(event.requestContext) ? event.requestContext : {};
  const http = isObject(gateway.http) ? gateway.http : {};
  return {
    requestId: idOf(gateway.requestId) || idOf(lambda?.awsRequestId),
    now: instantOf(gateway.timeEpoch),
    deadline: deadlineOf(lambda),
    headers: Object.fromEntries(textsOf(event.headers).map(([name, value]) => [name.toLowerCase(), value])),
    method: textOf(http.method),
    path: textOf(event.rawPath),
    pathParameters: Object.fromEntries(textsOf(event.pathParameters)),
    event,
    startedAtMs: performance.now(),
  };
};

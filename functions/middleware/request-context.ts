import type { MiddlewareObj, Request as MiddyRequest } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Caller } from '../access/admission.ts';
import type { PresentedKey } from '../access/presented-key.ts';
import { type Deadline, deadlineOf } from '../runtime/deadline.ts';

/** The parts of an HTTP API event (payload 2.0) that are read; each may be missing or wrong, nothing is trusted. */
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

/** What a row declares of a request, validated, before its types are known. */
export interface RawInput {
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
}

/** One request on its way through the stack: what arrived, and what each middleware has found out so far. */
export interface RequestContext {
  readonly requestId: string;
  /** When the request arrived, by the gateway's clock; functions have no clock of their own. */
  readonly now: Date;
  readonly deadline: Deadline;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  /** Decoded, as the caller wrote it. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly event: GatewayEvent;
  readonly startedAtMs: number;
  /** The well-formed key that the request presents; set before anything else is read. */
  key?: PresentedKey;
  /** The body's text once it was checked, then the JSON value that the parser makes of it. */
  body?: unknown;
  /** The query, headers and body that the endpoint declares, validated. */
  input?: RawInput;
  /** What a middleware threw before admission; thrown again once the caller is admitted. */
  deferredError?: unknown;
  caller?: Caller;
  /** What a lookup loaded while admission ran. */
  loaded?: { readonly value: unknown };
  /** The code of the problem that was answered, for the log. */
  code?: string;
  /** Whether the database failed, for the metrics. */
  databaseError?: boolean;
}

/** In this stack middy's event is the request context. */
export type StackRequest = MiddyRequest<RequestContext, APIGatewayProxyStructuredResultV2, Error, Context>;

export type Middleware = MiddlewareObj<RequestContext, APIGatewayProxyStructuredResultV2, Error, Context>;

/** A middleware that runs on the way in. It rejects by throwing: one that returned a value would skip the headers. */
export interface InboundMiddleware {
  readonly before: (request: StackRequest) => void | Promise<void>;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a header can carry as it is; any other id comes from no gateway. */
const VISIBLE = /^[!-~]{1,128}$/;

const idOf = (value: unknown): string => (VISIBLE.test(textOf(value)) ? textOf(value) : '');

/** The entries of an object that are text. */
const textsOf = (value: unknown): [string, string][] =>
  isObject(value)
    ? Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : [];

/** Beyond it a date needs more than four digits for its year. */
const LAST_INSTANT = Date.UTC(9999, 11, 31);

const instantOf = (timeEpoch: unknown): Date =>
  Number.isSafeInteger(timeEpoch) && Math.abs(timeEpoch as number) <= LAST_INSTANT
    ? new Date(timeEpoch as number)
    : new Date();

/** The context of a new request. Does not trust the event's shape, and does not touch its body. */
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

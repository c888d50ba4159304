import type { Request as MiddyRequest } from '@middy/core';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Caller } from '../access/admission.ts';
import type { Deadline } from '../runtime/deadline.ts';

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

/** What is known of one request on its way through the stack. */
export interface Flow {
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
  /** The query, body and headers that the endpoint declares, once they are validated. */
  input?: unknown;
  /** What is wrong with the request, kept until the caller is admitted. */
  fault?: unknown;
  caller?: Caller;
  /** What a look-up found. */
  loaded?: unknown;
  /** The code of the problem that was answered, for the log. */
  code?: string;
  /** Whether the database was at fault, for the metrics. */
  databaseFault?: boolean;
}

export type StackRequest = MiddyRequest<
  GatewayEvent,
  APIGatewayProxyStructuredResultV2,
  Error,
  Context,
  { flow: Flow }
>;

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

/** Reads an event without trusting its shape. */
export const readEvent = (input: unknown, context: Context, deadline: Deadline): Flow => {
  const event: GatewayEvent = isObject(input) ? input : {};
  const gateway = isObject(event.requestContext) ? event.requestContext : {};
  const http = isObject(gateway.http) ? gateway.http : {};
  return {
    requestId: idOf(gateway.requestId) || idOf(context?.awsRequestId),
    now: instantOf(gateway.timeEpoch),
    deadline,
    headers: Object.fromEntries(textsOf(event.headers).map(([name, value]) => [name.toLowerCase(), value])),
    method: textOf(http.method),
    path: textOf(event.rawPath),
    pathParameters: Object.fromEntries(textsOf(event.pathParameters)),
    event,
    startedAtMs: performance.now(),
  };
};

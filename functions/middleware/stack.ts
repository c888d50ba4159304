import middy from '@middy/core';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Caller, Register } from '../access/admission.ts';
import type { Scope } from '../access/scopes.ts';
import { admission, type Loading } from './admission.ts';
import type { Answer } from './api-request.ts';
import type { Flow, GatewayEvent, StackRequest } from './flow.ts';
import { tellOperator } from './inner-failure.ts';
import { parseRequest } from './parse-request.ts';
import { problemDocuments } from './problem-documents.ts';
import { raiseFaults } from './raise-faults.ts';
import { requestLog } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';

/** A function as API Gateway invokes it. It answers; it does not throw. */
export type GatewayHandler = (event: GatewayEvent, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

interface StackOptions {
  /** The endpoint's id, for the log. */
  readonly endpoint: string;
  readonly status: number;
  readonly register: Register;
  readonly scope?: Scope;
  /** Reads the input. What it throws is kept until the caller is admitted. */
  readonly parse: (flow: Flow) => unknown;
  /** A look-up's reading: done while admission runs, unless it reads much for somebody unknown. */
  readonly loading?: Loading;
  readonly respond: (flow: Flow & { readonly caller: Caller }) => Answer | Promise<Answer>;
}

/** middy hands its handler only event and context: from here on the event is the flow. */
const handOver = () => ({
  before: (request: StackRequest) => {
    Object.assign(request, { event: request.internal.flow });
  },
});

const present = (status: number, { body, headers = {} }: Answer): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers: {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)),
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

/**
 * The way of every request, outermost first: log and request id, common headers, problem documents, input, admission,
 * the input's faults, the endpoint itself. A middleware that returned early would skip the headers: reject by throwing.
 */
export const stack = ({ endpoint, status, register, scope, parse, loading, respond }: StackOptions): GatewayHandler => {
  const answer = async (event: unknown) => {
    const flow = event as Flow & { readonly caller: Caller };
    const answered = await flow.deadline.within(Promise.resolve(respond(flow)));
    if (answered.failure !== undefined) tellOperator(flow, answered.failure);
    return present(status, answered);
  };
  const handler = middy(answer, { timeoutEarlyInMillis: 0 })
    .use(requestLog(endpoint))
    .use(responseHeaders())
    .use(problemDocuments())
    .use(parseRequest(parse))
    .use(admission(register, scope, loading))
    .use(raiseFaults())
    .use(handOver());
  const invoked = handler as unknown as GatewayHandler;
  // middy reads the context before it listens for faults.
  return (event, context) => invoked(event, context ?? {});
};

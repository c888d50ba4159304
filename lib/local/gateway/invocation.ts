import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { FUNCTION_TIMEOUT_SECONDS } from '../../../functions/endpoints.ts';

/** An answer ready to be written to a socket. */
export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** A function as the platform calls it: whatever it returns or throws, the gateway makes an answer of it. */
export type InvokedFunction = (event: unknown, context: Context) => Promise<unknown>;

/** Bytes of JSON that Lambda passes on. */
const MAX_RESULT_BYTES = 6_291_556;

/** What the gateway answers by itself. */
export const gatewayAnswer = (statusCode: number, message: string): HttpAnswer => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ message })),
});

const contextFor = (functionName: string): Context => {
  const end = performance.now() + FUNCTION_TIMEOUT_SECONDS * 1_000;
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:eu-west-2:000000000000:function:${functionName}`,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: '256',
    getRemainingTimeInMillis: () => Math.max(0, end - performance.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
};

interface FunctionResult {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

const answerOf = (json: string): HttpAnswer => {
  const result: FunctionResult | null = JSON.parse(json);
  if (result === null || typeof result !== 'object' || result.statusCode === undefined) {
    return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(json) };
  }
  const { statusCode, headers = {}, cookies, body = '', isBase64Encoded } = result;
  return {
    statusCode,
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
      ...(cookies ? { 'set-cookie': cookies } : {}),
    },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
};

const TIMED_OUT = Symbol('timed out');

const withTimeout = async (work: Promise<unknown>, milliseconds: number): Promise<unknown> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMED_OUT), milliseconds);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
};

/** Calls a function as Lambda would and turns its result into an answer as API Gateway would. */
export const invoke = async (call: InvokedFunction, functionName: string, event: unknown): Promise<HttpAnswer> => {
  const context = contextFor(functionName);
  try {
    const result = await withTimeout(call(event, context), context.getRemainingTimeInMillis());
    if (result === TIMED_OUT) return gatewayAnswer(503, 'Service Unavailable');
    const json = JSON.stringify(result ?? null);
    return Buffer.byteLength(json) > MAX_RESULT_BYTES ? gatewayAnswer(500, 'Internal Server Error') : answerOf(json);
  } catch {
    // What a function throws goes to its own log on the platform; the caller is told nothing of it.
    return gatewayAnswer(500, 'Internal Server Error');
  }
};

import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { type Deadline, DeadlineExceeded, deadlineIn } from '../../core/runtime/deadline.ts';
import { FUNCTION_TIMEOUT_SECONDS } from '../../functions/http/endpoint-definition.ts';

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A Lambda handler. It may return or throw anything. */
export type InvokedFunction = (event: unknown, context: Context) => Promise<unknown>;

/** Maximum bytes of a function's result as JSON. */
const MAX_RESULT_BYTES = 6_291_556;

/** A response of the gateway itself. */
export const gatewayResponse = (statusCode: number, message: string): HttpResponse => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ message })),
});

const contextFor = (functionName: string, { remainingMs }: Deadline): Context => ({
  awsRequestId: randomUUID(),
  callbackWaitsForEmptyEventLoop: true,
  functionName,
  functionVersion: '$LATEST',
  invokedFunctionArn: `arn:aws:lambda:eu-west-2:000000000000:function:${functionName}`,
  logGroupName: `/aws/lambda/${functionName}`,
  logStreamName: 'local',
  memoryLimitInMB: '256',
  getRemainingTimeInMillis: remainingMs,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
});

const responseFrom = (json: string): HttpResponse => {
  const { statusCode, headers = {}, body = '', isBase64Encoded } = JSON.parse(json);
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return {
    statusCode,
    headers: Object.fromEntries(lowerCase),
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
};

/** Invokes a handler as Lambda does and converts its result into a response as API Gateway does. */
export const invoke = async (handler: InvokedFunction, functionName: string, event: unknown): Promise<HttpResponse> => {
  const deadline = deadlineIn(FUNCTION_TIMEOUT_SECONDS * 1_000);
  const context = contextFor(functionName, deadline);
  try {
    const result = await deadline.within(handler(event, context));
    const json = JSON.stringify(result ?? null);
    return Buffer.byteLength(json) > MAX_RESULT_BYTES
      ? gatewayResponse(500, 'Internal Server Error')
      : responseFrom(json);
  } catch (error) {
    if (error instanceof DeadlineExceeded) return gatewayResponse(503, 'Service Unavailable');
    return gatewayResponse(500, 'Internal Server Error');
  }
};

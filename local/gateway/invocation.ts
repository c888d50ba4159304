import type { Context } from 'aws-lambda';
import { DeadlineExceeded, deadlineIn } from '../../core/runtime/deadline.ts';
import { FUNCTION_TIMEOUT_SECONDS } from '../../functions/http/endpoint-definition.ts';

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The part of Lambda's context that the handlers read. */
type InvocationContext = Pick<Context, 'getRemainingTimeInMillis'>;

/** A Lambda handler. It may return or throw anything. */
export type InvokedFunction = (event: unknown, context: InvocationContext) => Promise<unknown>;

/** Maximum bytes of a function's result as JSON. */
const MAX_RESULT_BYTES = 6_291_556;

export const gatewayResponse = (statusCode: number, message: string): HttpResponse => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ message })),
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
export const invoke = async (handler: InvokedFunction, event: unknown): Promise<HttpResponse> => {
  const deadline = deadlineIn(FUNCTION_TIMEOUT_SECONDS * 1_000);
  try {
    const result = await deadline.within(handler(event, { getRemainingTimeInMillis: deadline.remainingMs }));
    const json = JSON.stringify(result ?? null);
    return Buffer.byteLength(json) > MAX_RESULT_BYTES
      ? gatewayResponse(500, 'Internal Server Error')
      : responseFrom(json);
  } catch (error) {
    if (error instanceof DeadlineExceeded) return gatewayResponse(503, 'Service Unavailable');
    return gatewayResponse(500, 'Internal Server Error');
  }
};

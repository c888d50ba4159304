import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { HttpFunction } from './endpoint-definition.ts';
import type { RequestContext } from './request.ts';
import { reportInternalError } from './request-log.ts';

/** What a handler responds. `toResponse` adds the status, and the middlewares the headers of every response. */
export interface Answer {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The error behind `LOOKUP_UNAVAILABLE` entries. It is logged, and never sent. */
  readonly failure?: unknown;
}

/** The response of a handler to one request. @throws DeadlineExceeded, and what `respond` throws */
export const toResponse = async (
  { successStatus }: Pick<HttpFunction, 'successStatus'>,
  context: RequestContext,
  respond: () => Promise<Answer>,
): Promise<APIGatewayProxyStructuredResultV2> => {
  const { body, headers, failure } = await context.deadline.within(respond());
  if (failure !== undefined) reportInternalError(context, failure);
  return {
    statusCode: successStatus,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
};

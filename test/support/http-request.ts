import type { Context } from 'aws-lambda';
import { createRequestContext, type HttpRequest, type RequestContext } from '../../functions/http/request.ts';

/** A request as a middleware gets it, with what those before have found. */
export const httpRequest = (event: object = {}, found: Partial<RequestContext> = {}): HttpRequest => ({
  event: event as HttpRequest['event'],
  context: {} as Context,
  response: undefined,
  error: undefined,
  internal: { ...createRequestContext(event, undefined), ...found },
});

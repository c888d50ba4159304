import type { Context } from 'aws-lambda';
import { type HttpRequest, readEvent } from '../../functions/http/request.ts';

/** A request as a middleware gets it, with what those before have found. */
export const httpRequest = <Found = unknown>(event: object = {}, found: object = {}): HttpRequest<Found> => {
  const lambda = {} as Context;
  const context = { ...lambda, ...readEvent(event, undefined, ['/']), ...found };
  return {
    event: event as HttpRequest['event'],
    context: context as HttpRequest<Found>['context'],
    response: undefined,
    error: undefined,
    internal: {},
  };
};

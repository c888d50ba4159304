import { isDatabaseError } from '../dynamodb/database.ts';
import { logFailure, logRequest, openLog } from '../observability/log.ts';
import { measureRequest } from '../observability/metrics.ts';
import type { RequestContext, StackRequest } from './request-context.ts';

/** Logs an internal error and marks it for the metrics. Nothing of it is sent to the caller. */
export const reportInternalError = (context: RequestContext, error: unknown): void => {
  context.databaseError = isDatabaseError(error);
  logFailure(context.requestId, error);
};

/** Adds the request id to the response; writes one log line and the metrics per request. */
export const requestLog = (endpoint: string) => {
  openLog();
  const close = ({ event: context, response }: StackRequest): void => {
    if (!response) return;
    const { requestId, caller, code } = context;
    response.headers = { ...response.headers, 'X-Request-Id': requestId };
    const outcome = {
      requestId,
      endpoint,
      status: response.statusCode ?? 200,
      latencyMs: Math.round(performance.now() - context.startedAtMs),
      ...(code && { code }),
    };
    logRequest({ ...outcome, ...(caller && { keyId: caller.key.id }) });
    measureRequest({
      ...outcome,
      databaseError: context.databaseError === true,
      ...(caller && { plan: caller.key.plan }),
    });
  };
  return { after: close, onError: close };
};

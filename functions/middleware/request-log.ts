import { isDatabaseError } from '../dynamodb/database.ts';
import { logFailure, logRequest, openLog } from '../observability/log.ts';
import { measureRequest } from '../observability/metrics.ts';
import type { RequestContext, StackRequest } from './request-context.ts';

/** Reports an error of ours to the operator, by log and metrics; the caller learns nothing of it. */
export const reportInternalError = (context: RequestContext, error: unknown): void => {
  context.databaseError = isDatabaseError(error);
  logFailure(context.requestId, error);
};

/** Adds the request id to the response, and writes the one log line and the metrics of a request. */
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

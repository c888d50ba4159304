import { deadlineOf } from '../runtime/deadline.ts';
import { logRequest, openLog } from '../runtime/log.ts';
import { measureRequest } from '../runtime/metrics.ts';
import { readEvent, type StackRequest } from './flow.ts';

/** Opens the flow, names the request in the answer, and closes with the one log line and the metrics of a request. */
export const requestLog = (endpoint: string) => {
  openLog();
  const close = (request: StackRequest) => {
    const { flow } = request.internal;
    if (!request.response) return;
    request.response.headers = { ...request.response.headers, 'X-Request-Id': flow.requestId };
    const outcome = {
      requestId: flow.requestId,
      endpoint,
      status: request.response.statusCode ?? 200,
      latencyMs: Math.round(performance.now() - flow.startedAtMs),
      ...(flow.code && { code: flow.code }),
    };
    logRequest({ ...outcome, ...(flow.caller && { keyId: flow.caller.key.id }) });
    measureRequest({
      ...outcome,
      databaseFault: flow.databaseFault === true,
      ...(flow.caller && { plan: flow.caller.key.plan }),
    });
  };
  return {
    before: (request: StackRequest) => {
      request.internal.flow = readEvent(request.event, request.context, deadlineOf(request.context));
    },
    after: close,
    onError: close,
  };
};

import { isDatabaseError } from '../../core/dynamodb/database.ts';
import { logFailure, logRequest, openLog } from '../../core/runtime/log.ts';
import type { HttpRequest, RequestContext } from './request.ts';

/** Logs an internal error, and records for the metrics whether DynamoDB caused it. */
export const reportInternalError = (context: RequestContext, error: unknown): void => {
  context.databaseError = isDatabaseError(error);
  logFailure(context.requestId, error);
};

/** A `traceparent` header of version 00 (W3C Trace Context, section 3.2). Later versions may only append to it. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** The trace id of a valid `traceparent`, otherwise undefined. Ids of zeros only are invalid. */
const parseTraceId = (traceparent = ''): string | undefined => {
  const [, traceId = '', parentId = '', appended] = TRACEPARENT.exec(traceparent.trim()) ?? [];
  const isVersion0 = traceparent.trim().startsWith('00');
  return /[^0]/.test(traceId) && /[^0]/.test(parentId) && !(isVersion0 && appended) ? traceId : undefined;
};

/** Adds the request id to the response, and logs a line with the metrics. */
export const requestLog = (endpoint: string) => {
  openLog();
  const logResponse = ({ context, response }: HttpRequest): void => {
    if (!response) return;
    const { requestId, key, caller, code, units, lostUnits, loggedReference, lookups } = context;
    response.headers = { ...response.headers, 'X-Request-Id': requestId };
    const traceId = parseTraceId(context.headers.traceparent);
    logRequest({
      requestId,
      endpoint,
      status: response.statusCode ?? 200,
      latencyMs: Math.round(performance.now() - context.startedAtMs),
      ...(code && { code }),
      ...(caller && { keyId: caller.key.id, plan: caller.key.plan }),
      // The key is in force, and its owner must be told.
      ...(code === 'ADDRESS_FORBIDDEN' && key && { keyId: key.id }),
      ...(key?.kind === 'test' && { sandbox: true }),
      // Anyone can send the prefix: only with a valid key it is the probe.
      ...(caller && key?.kind === 'probe' && { probe: true }),
      ...(traceId && { traceId }),
      ...(units && { units }),
      ...(context.isThrottled && { throttled: true }),
      ...(lostUnits && { lostUnits }),
      ...(loggedReference !== undefined && { reference: loggedReference }),
      ...(lookups && { lookups }),
      isForced: context.isForced === true,
      databaseError: context.databaseError === true,
    });
  };
  return { after: logResponse, onError: logResponse };
};

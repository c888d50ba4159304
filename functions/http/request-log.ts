import { isDatabaseError } from '../../core/aws/database.ts';
import { logFailure, logRequest, openLog } from '../../core/runtime/log.ts';
import type { HttpRequest, RequestContext } from './request.ts';

export const reportInternalError = (context: RequestContext, error: unknown): void => {
  context.logged.databaseError = isDatabaseError(error);
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
    const { requestId, key, caller, logged } = context;
    response.headers = { ...response.headers, 'X-Request-Id': requestId };
    logRequest({
      ...logged,
      requestId,
      endpoint,
      status: response.statusCode ?? 200,
      latencyMs: Math.round(performance.now() - context.startedAtMs),
      // After ADDRESS_FORBIDDEN too, because the key is in force and its owner must be told.
      keyId: logged.code === 'ADDRESS_FORBIDDEN' ? key?.id : caller?.key.id,
      plan: caller?.key.plan,
      sandbox: key?.kind === 'test' || undefined,
      // Anyone can send the prefix: only with a valid key it is the probe.
      probe: (caller && key?.kind === 'probe') || undefined,
      traceId: parseTraceId(context.headers.traceparent),
    });
  };
  return { after: logResponse, onError: logResponse };
};

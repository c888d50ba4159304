/**
 * What the access log keeps of a request: the route, never the path, since a registration is personal data and sits in
 * the path. Nor the caller's address or user agent.
 */
export const ACCESS_LOG_FIELDS = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  routeKey: '$context.routeKey',
  status: '$context.status',
  latencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationStatus: '$context.integrationStatus',
  integrationError: '$context.integrationErrorMessage',
  error: '$context.error.message',
  responseBytes: '$context.responseLength',
} as const;

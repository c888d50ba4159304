import { Logger, LogLevelThreshold } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { metricsNamespaceFromEnvironment } from '../runtime/environment.ts';

/** What the line of a request is made of. */
export interface RequestLog {
  readonly requestId: string;
  readonly endpoint: string;
  readonly status: number;
  readonly latencyMs: number;
  /** The error code; absent for a success. */
  readonly code?: string;
  readonly keyId?: string;
  readonly plan?: string;
  /** Present when the request has a test key. */
  readonly sandbox?: boolean;
  /** Present when the request has a valid key of the service’s probe: it is then in no metric. */
  readonly probe?: boolean;
  /** The trace id of the caller's `traceparent`, to find the request in the caller's own traces. */
  readonly traceId?: string;
  /** Units of a bulk request that could not be added; absent for none. */
  readonly lostUnits?: number;
  /** Whether the sandbox forced the error: it is then no server error and no rate limited request. */
  readonly isForced: boolean;
  /** Whether a request to DynamoDB failed after its retries, or the deadline passed while waiting for it. */
  readonly databaseError: boolean;
}

/**
 * The only fields of the line besides level, timestamp and metrics: nothing personal, no key, no body
 * (docs/design.md#privacy-and-keys). They are properties to search for, not dimensions: each combination of dimensions is a
 * metric that costs 0.30 USD a month.
 */
const FIELDS = ['requestId', 'endpoint', 'status', 'code', 'keyId', 'plan', 'sandbox', 'probe', 'traceId'] as const;

const SERVICE = { serviceName: 'vehicle-verification' };

/** Powertools would write a cold start as a line of its own. Here it is one more metric of the request. */
class RequestMetrics extends Metrics {
  override captureColdStartMetric(): void {
    if (this.getColdStart()) this.addMetric('ColdStart', 'Count', 1);
  }

  /** After a first request that is in no metric: the second one is no cold start. */
  skipColdStart(): void {
    this.getColdStart();
  }
}

let sharedLogger: Logger | undefined;
let sharedMetrics: { readonly metrics: RequestMetrics; readonly areCollected: boolean } | undefined;

/** Created on first use: it reads the environment, which a process may set after it has loaded this file. */
const logger = (): Logger => {
  sharedLogger ??= new Logger(SERVICE);
  return sharedLogger;
};

const requestMetrics = () => {
  if (sharedMetrics === undefined) {
    const namespace = metricsNamespaceFromEnvironment();
    const metrics = new RequestMetrics({ namespace: namespace ?? 'VehicleVerification', ...SERVICE });
    sharedMetrics = { metrics, areCollected: namespace !== undefined };
  }
  return sharedMetrics;
};

/** Creates what every request uses, during init, when Lambda gives the function more CPU than during a request. */
export const openLog = (): void => void requestMetrics();

/**
 * Writes the one line of a request: its fields and its metrics, in EMF (CloudWatch's embedded metric format). Powertools writes
 * it to standard output; Lambda would wrap what `console` writes, and CloudWatch would find no metrics. Lambda's log levels
 * need `level` and `timestamp`. Where no metrics are collected, as on a developer's machine, the line depends on the log level.
 */
export const logRequest = (request: RequestLog): void => {
  const { metrics, areCollected } = requestMetrics();
  if (!areCollected && logger().level > LogLevelThreshold.INFO) return;
  const { status, latencyMs, code, lostUnits, isForced, databaseError, probe } = request;
  if (probe) {
    metrics.skipColdStart();
    logger().info('request of the probe', Object.fromEntries(FIELDS.map((name) => [name, request[name]])));
    return;
  }
  metrics.addMetadata('level', 'INFO').addMetadata('timestamp', new Date().toISOString());
  for (const name of FIELDS) {
    // The declared type is `string`; the line contains any value as JSON does.
    if (request[name] !== undefined) metrics.addMetadata(name, request[name] as string);
  }
  metrics
    .addMetric('Requests', 'Count', 1)
    .addMetric('Latency', 'Milliseconds', latencyMs)
    // Always there, so that its average is the share of requests that failed.
    .addMetric('ServerErrors', 'Count', status >= 500 && !isForced ? 1 : 0)
    .captureColdStartMetric();
  // Only their sums are read: a line of each request that says 0 would cost 0.06 USD per million.
  if (code === 'RATE_LIMITED' && !isForced) metrics.addMetric('RateLimited', 'Count', 1);
  if (lostUnits !== undefined) metrics.addMetric('LostUnits', 'Count', lostUnits);
  if (databaseError) metrics.addMetric('DatabaseErrors', 'Count', 1);
  metrics.publishStoredMetrics();
};

/** The one line of a run of the probe, in EMF: what failed, and the metric of the alarm `Unreachable`. */
export const logProbe = (failures: readonly string[]): void => {
  const { metrics } = requestMetrics();
  metrics
    .addMetadata('level', failures.length > 0 ? 'ERROR' : 'INFO')
    .addMetadata('timestamp', new Date().toISOString())
    // The declared type is `string`; the line contains any value as JSON does.
    .addMetadata('failures', failures as unknown as string)
    .addMetric('ProbeFailures', 'Count', failures.length > 0 ? 1 : 0)
    .publishStoredMetrics();
};

/**
 * An internal error: its name, stack frames and SDK metadata, and those of its causes. Messages are left out, because a parser
 * quotes the body in its message and the SDK may quote an item's key.
 */
export const logFailure = (requestId: string, error: unknown): void =>
  logger().error('failure', { requestId, failure: describeFailure(error) });

/** Stored records that cannot be read, for the operator to find and import again. */
export const logDamage = (table: string, records: number): void =>
  logger().error('damaged records', { table, records });

const MAX_CAUSES = 3;

const describeFailure = (error: unknown, depth = 0): object => {
  if (!(error instanceof Error)) return { name: typeof error };
  const metadata = (error as { $metadata?: { httpStatusCode?: number; attempts?: number; requestId?: string } })
    .$metadata;
  return {
    name: error.name,
    frames: (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)),
    ...(metadata === undefined
      ? {}
      : { awsStatus: metadata.httpStatusCode, awsAttempts: metadata.attempts, awsRequestId: metadata.requestId }),
    ...(error.cause !== undefined && depth < MAX_CAUSES ? { cause: describeFailure(error.cause, depth + 1) } : {}),
  };
};

import { Logger, LogLevelThreshold } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { optionalVariable } from './environment.ts';

/** What is known of a request when its line is written. */
export interface RequestLog {
  requestId: string;
  endpoint: string;
  status: number;
  latencyMs: number;
  /** The error code; absent for a success. */
  code?: string | undefined;
  keyId?: string | undefined;
  plan?: string | undefined;
  /** Whether the request has a test key. */
  sandbox?: boolean | undefined;
  /** Whether a valid key of the service's probe made the request: it is then in no metric. */
  probe?: boolean | undefined;
  /** The trace id of the caller's `traceparent`. */
  traceId?: string | undefined;
  /** Units of the request in the invoice; absent if none. */
  units?: number | undefined;
  /** Whether the request is 429 because DynamoDB throttled a counter, and not because of a limit. */
  throttled?: boolean | undefined;
  /** The caller's reference of a lookup, where the stage logs lookups. */
  reference?: string | undefined;
  /** The day of a lookup for another day than today, where the stage logs lookups. */
  asOf?: string | undefined;
  /** Hashes of the registrations that were looked up, each with what was answered (core/lookup-log.ts). */
  lookups?: string | undefined;
  /** Units of a bulk request that could not be added; absent if none. */
  lostUnits?: number | undefined;
  /** Whether the sandbox forced the error: it then counts neither as a server error nor as rate limited. */
  isForced?: boolean;
  /** Whether a request to DynamoDB failed after its retries, or the deadline passed during it. */
  databaseError?: boolean;
}

/**
 * The only fields of the line besides level, timestamp and metrics: nothing personal, no key, no body
 * (docs/design.md#privacy-and-keys). They are no dimensions of the metrics, because each combination of values would be
 * a metric of its own, for 0.30 USD a month.
 */
const FIELDS = [
  ...(['requestId', 'endpoint', 'status', 'code', 'keyId', 'plan', 'units'] as const),
  ...(['sandbox', 'probe', 'throttled', 'traceId', 'reference', 'asOf', 'lookups'] as const),
] as const;

const SERVICE = { serviceName: 'vehicle-verification' };

/** Powertools would write a line per cold start. Here it is a metric of the request. */
class RequestMetrics extends Metrics {
  override captureColdStartMetric(): void {
    if (this.getColdStart()) this.addMetric('ColdStart', 'Count', 1);
  }

  /** With `lookups` at its end, which is by far its longest field. */
  override serializeMetrics(): ReturnType<Metrics['serializeMetrics']> {
    const line = super.serializeMetrics();
    if (!('lookups' in line)) return line;
    const { lookups, ...others } = line;
    return { ...others, lookups };
  }

  override publishStoredMetrics(): this {
    if (requestLines === undefined) return super.publishStoredMetrics();
    requestLines.write(`${JSON.stringify(this.serializeMetrics())}\n`);
    this.clearMetrics();
    this.clearMetadata();
    return this;
  }

  /** Reports the cold start as used up, so that the next request does not count as one. */
  skipColdStart(): void {
    this.getColdStart();
  }
}

let sharedLogger: Logger | undefined;
let sharedMetrics: RequestMetrics | undefined;
let requestLines: NodeJS.WritableStream | undefined;

/** Created on first use, because a process may set the environment after loading this file. */
const logger = (): Logger => {
  sharedLogger ??= new Logger(SERVICE);
  return sharedLogger;
};

/** Undefined where no metrics are collected. */
const metricsNamespace = () => optionalVariable('POWERTOOLS_METRICS_NAMESPACE');

const requestMetrics = (): RequestMetrics => {
  sharedMetrics ??= new RequestMetrics({ namespace: metricsNamespace() ?? 'VehicleVerification', ...SERVICE });
  return sharedMetrics;
};

/** Writes the lines of requests there instead of to standard output, whatever the log level. */
export const writeRequestLinesTo = (stream: NodeJS.WritableStream | undefined): void => {
  requestLines = stream;
};

/** Called during init, when Lambda gives more CPU than during a request. */
export const openLog = (): void => void requestMetrics();

/**
 * Writes the line of a request: fields and metrics in EMF (CloudWatch's embedded metric format). Powertools writes to
 * standard output; Lambda would wrap what `console` writes, and CloudWatch find no metrics. Lambda's log levels need
 * `level` and `timestamp`. Where no metrics are collected, the line depends on the log level.
 */
export const logRequest = (request: RequestLog): void => {
  if (!metricsNamespace() && !requestLines && logger().level > LogLevelThreshold.INFO) return;
  const metrics = requestMetrics();
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
  metrics.addMetric('Requests', 'Count', 1).captureColdStartMetric();
  // The line of a 401 is short, because anybody can cause millions, and does not lower the share of `ServerErrors`.
  if (status !== 401) {
    metrics
      .addMetric('Latency', 'Milliseconds', latencyMs)
      // In the line of every other request, so that its average is the share of requests that failed.
      .addMetric('ServerErrors', 'Count', status >= 500 && !isForced ? 1 : 0);
  }
  // Only their sums are read: a line of each request that says 0 would cost 0.06 USD per million.
  if (code === 'RATE_LIMITED' && !isForced) metrics.addMetric('RateLimited', 'Count', 1);
  if (code === 'ADDRESS_FORBIDDEN') metrics.addMetric('ForbiddenAddresses', 'Count', 1);
  if (lostUnits !== undefined) metrics.addMetric('LostUnits', 'Count', lostUnits);
  if (databaseError) metrics.addMetric('DatabaseErrors', 'Count', 1);
  metrics.publishStoredMetrics();
};

/** The line of a run of the probe: what failed, and the metric of the alarm `Unreachable`. */
export const logProbe = (failures: readonly string[]): void => {
  requestMetrics()
    .addMetadata('level', failures.length > 0 ? 'ERROR' : 'INFO')
    .addMetadata('timestamp', new Date().toISOString())
    // The declared type is `string`; the line contains any value as JSON does.
    .addMetadata('failures', failures as unknown as string)
    .addMetric('ProbeFailures', 'Count', failures.length > 0 ? 1 : 0)
    .publishStoredMetrics();
};

/**
 * Logs an internal error and its causes: name, stack frames and SDK metadata. It leaves out messages, because a parser
 * quotes the body, and the SDK an item's key.
 */
export const logFailure = (requestId: string, error: unknown): void =>
  logger().error('failure', { requestId, failure: describeFailure(error) });

/** Logs stored records that cannot be parsed, which the operator imports again. */
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

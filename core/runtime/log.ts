import { Logger, LogLevelThreshold } from '@aws-lambda-powertools/logger';
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

const SERVICE = 'vehicle-verification';

let sharedLogger: Logger | undefined;
let requestLines: NodeJS.WritableStream | undefined;
let hasStarted = false;

/** Created on first use, because a process may set the environment after loading this file. */
const logger = (): Logger => {
  sharedLogger ??= new Logger({ serviceName: SERVICE });
  return sharedLogger;
};

/** Undefined where no metrics are collected. */
const metricsNamespace = () => optionalVariable('POWERTOOLS_METRICS_NAMESPACE');

/** Writes the lines of requests there instead of to standard output, whatever the log level. */
export const writeRequestLinesTo = (stream: NodeJS.WritableStream | undefined): void => {
  requestLines = stream;
};

/** Whether this is the first request of an instance that Lambda has started for it. */
const isColdStart = (): boolean => {
  const isFirst = !hasStarted;
  hasStarted = true;
  return isFirst && optionalVariable('AWS_LAMBDA_INITIALIZATION_TYPE') === 'on-demand';
};

/**
 * Writes fields and metrics in EMF (CloudWatch's embedded metric format). Not by `console`: Lambda would wrap what that
 * writes, and CloudWatch find no metrics. Lambda's log levels need `level` and `timestamp`.
 */
const writeLine = (
  level: 'INFO' | 'ERROR',
  { lookups, ...fields }: Readonly<Record<string, unknown>>,
  metrics: Readonly<Record<string, number>>,
): void => {
  const now = new Date();
  const Metrics = Object.keys(metrics).map((Name) => ({ Name, Unit: Name === 'Latency' ? 'Milliseconds' : 'Count' }));
  const Namespace = metricsNamespace() ?? 'VehicleVerification';
  const line = {
    _aws: { Timestamp: now.getTime(), CloudWatchMetrics: [{ Namespace, Dimensions: [['service']], Metrics }] },
    level,
    timestamp: now.toISOString(),
    ...fields,
    service: SERVICE,
    ...metrics,
    // By far the longest field.
    lookups,
  };
  (requestLines ?? process.stdout).write(`${JSON.stringify(line)}\n`);
};

/** Writes the line of a request. Where no metrics are collected, it depends on the log level. */
export const logRequest = (request: RequestLog): void => {
  if (!metricsNamespace() && !requestLines && logger().level > LogLevelThreshold.INFO) return;
  const { status, latencyMs, code, lostUnits, isForced, databaseError, probe } = request;
  const fields = Object.fromEntries(FIELDS.map((name) => [name, request[name]]));
  const isCold = isColdStart();
  if (probe) {
    logger().info('request of the probe', fields);
    return;
  }
  writeLine('INFO', fields, {
    Requests: 1,
    ...(isCold && { ColdStart: 1 }),
    // The line of a 401 is short, because anybody can cause millions, and does not lower the share of `ServerErrors`,
    // which is in the line of every other request, so that its average is the share of requests that failed.
    ...(status !== 401 && { Latency: latencyMs, ServerErrors: status >= 500 && !isForced ? 1 : 0 }),
    // Only their sums are read: a line of each request that says 0 would cost 0.06 USD per million.
    ...(code === 'RATE_LIMITED' && !isForced && { RateLimited: 1 }),
    ...(code === 'ADDRESS_FORBIDDEN' && { ForbiddenAddresses: 1 }),
    ...(lostUnits !== undefined && { LostUnits: lostUnits }),
    ...(databaseError && { DatabaseErrors: 1 }),
  });
};

/** The line of a run of the probe: what failed, and the metric of the alarm `Unreachable`. */
export const logProbe = (failures: readonly string[]): void => {
  const hasFailed = failures.length > 0;
  writeLine(hasFailed ? 'ERROR' : 'INFO', { failures }, { ProbeFailures: hasFailed ? 1 : 0 });
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

import { Metrics } from '@aws-lambda-powertools/metrics';
import { metricsNamespaceFromEnvironment } from '../runtime/environment.ts';

/** The outcome of one request; nothing personal, no key, not even a key's id. */
export interface RequestOutcome {
  readonly requestId: string;
  readonly endpoint: string;
  readonly status: number;
  readonly latencyMs: number;
  readonly plan?: string;
  /** The error code; absent for a success. */
  readonly code?: string;
  /** Whether the sandbox forced the error: it is then no server error and no rate limited request. */
  readonly isForced: boolean;
  /** Whether a request to DynamoDB failed after its retries, or the deadline passed while waiting for it. */
  readonly databaseError: boolean;
}

const namespace = metricsNamespaceFromEnvironment();
const metrics = namespace === undefined ? undefined : new Metrics({ namespace, serviceName: 'vehicle-verification' });

/** 0 or 1: the sum is a count, the average a share. */
const flag = (happened: boolean): number => (happened ? 1 : 0);

/**
 * Writes the metrics of one request as a line of EMF (CloudWatch's embedded metric format). Endpoint, plan and code are
 * properties to search for, not dimensions: each combination of dimensions is a metric that costs 0.30 USD a month.
 * Writes nothing without a namespace, as on a developer's machine.
 */
export const measureRequest = (outcome: RequestOutcome): void => {
  if (metrics === undefined) return;
  const { requestId, endpoint, status, latencyMs, plan, code = 'OK', isForced, databaseError } = outcome;
  metrics.captureColdStartMetric();
  metrics
    .addMetric('Requests', 'Count', 1)
    .addMetric('Latency', 'Milliseconds', latencyMs)
    .addMetric('ServerErrors', 'Count', flag(status >= 500 && !isForced))
    .addMetric('RateLimited', 'Count', flag(code === 'RATE_LIMITED' && !isForced))
    .addMetric('DatabaseErrors', 'Count', flag(databaseError))
    .addMetadata('requestId', requestId)
    .addMetadata('endpoint', endpoint)
    .addMetadata('code', code)
    .addMetadata('plan', plan ?? 'none')
    .publishStoredMetrics();
};

import { Metrics } from '@aws-lambda-powertools/metrics';
import { metricsNamespaceFromEnvironment } from '../runtime/environment.ts';

/** What is counted of one answered request; nothing personal, no key, not even a key's id. */
export interface RequestOutcome {
  readonly requestId: string;
  readonly endpoint: string;
  readonly status: number;
  readonly latencyMs: number;
  readonly plan?: string;
  /** The problem's code; absent when all went well. */
  readonly code?: string;
  /** Whether a request to DynamoDB failed for good, or the deadline passed while waiting for it. */
  readonly databaseError: boolean;
}

const namespace = metricsNamespaceFromEnvironment();
const metrics = namespace === undefined ? undefined : new Metrics({ namespace, serviceName: 'vehicle-verification' });

/** 0 or 1, so that a metric's sum counts requests and its average is their share, which an alarm can watch as it is. */
const flag = (happened: boolean): number => (happened ? 1 : 0);

/**
 * Counts one request, as a line of EMF that CloudWatch reads. Endpoint, plan and code are properties to search for, not
 * dimensions: every combination of dimensions is a metric that costs 0.30 USD a month. Silent without a namespace, as on
 * a developer's machine.
 */
export const measureRequest = (outcome: RequestOutcome): void => {
  if (metrics === undefined) return;
  const { requestId, endpoint, status, latencyMs, plan, code = 'OK', databaseError } = outcome;
  metrics.captureColdStartMetric();
  metrics
    .addMetric('Requests', 'Count', 1)
    .addMetric('Latency', 'Milliseconds', latencyMs)
    .addMetric('ServerErrors', 'Count', flag(status >= 500))
    .addMetric('RateLimited', 'Count', flag(code === 'RATE_LIMITED'))
    .addMetric('DatabaseErrors', 'Count', flag(databaseError))
    .addMetadata('requestId', requestId)
    .addMetadata('endpoint', endpoint)
    .addMetadata('code', code)
    .addMetadata('plan', plan ?? 'none')
    .publishStoredMetrics();
};

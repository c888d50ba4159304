import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';

/** A namespace per stage, so that stages that share an account never share a metric. */
export const metricsNamespace = (stage: string): string => `VehicleVerification/${stage}`;

/** The metrics that functions/observability/metrics.ts counts; a test holds the two together. */
export const SERVICE_METRICS = [
  'Requests',
  'Latency',
  'ServerErrors',
  'RateLimited',
  'DatabaseFaults',
  'ColdStart',
] as const;

/** A metric over all endpoints of a stage. */
export const serviceMetric = (
  stage: string,
  metricName: (typeof SERVICE_METRICS)[number],
  statistic: string,
  period = Duration.minutes(1),
): Metric =>
  new Metric({
    namespace: metricsNamespace(stage),
    metricName,
    dimensionsMap: { service: 'vehicle-verification' },
    statistic,
    period,
  });

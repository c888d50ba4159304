import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';

/** The namespace of a stage's metrics: stages in one account do not share them. */
export const metricsNamespace = (stage: string): string => `VehicleVerification/${stage}`;

/** The namespace of what loads publish: who may load by hand cannot publish as the builds of the intake do. */
export const loadsNamespace = (stage: string, loads: 'ByHand' | 'Intake'): string =>
  `${metricsNamespace(stage)}/${loads}`;

/** The metrics that core/runtime/log.ts emits. A test compares the two lists. */
export const SERVICE_METRICS = [
  'Requests',
  'Latency',
  'ServerErrors',
  'RateLimited',
  'ForbiddenAddresses',
  'DatabaseErrors',
  'LostUnits',
  'ColdStart',
  'ProbeFailures',
] as const;

/** A metric over all endpoints of a stage. */
export const serviceMetric = (stage: string, metricName: (typeof SERVICE_METRICS)[number], statistic: string): Metric =>
  new Metric({
    namespace: metricsNamespace(stage),
    metricName,
    dimensionsMap: { service: 'vehicle-verification' },
    statistic,
    period: Duration.minutes(1),
  });

import { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { FunctionId } from '../endpoint-files.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import type { HttpGateway } from './http-gateway.ts';
import { serviceMetric } from './service-metrics.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

/** The parts of the CDK stack that alarms and dashboard monitor. */
export interface MonitoredParts {
  readonly settings: StageSettings;
  readonly gateway: HttpGateway;
  readonly tables: ServiceTables;
  readonly functions: ReadonlyMap<FunctionId, EndpointFunction>;
}

/** An alarm, and the description that its operator reads. docs/runbook.md has a section on each that notifies. */
export interface AlarmDescription {
  readonly id: string;
  readonly description: string;
  readonly metric: IMetric;
  /** The alarm is raised above this value. */
  readonly threshold: number;
  /** Breaching minutes out of the last 5 that raise the alarm; by default 3, so that one bad minute wakes nobody. */
  readonly breachingMinutes?: number;
  /** Whether a minute without data is breaching. False when absent. */
  readonly needsData?: boolean;
  /** Whether the alarm only rolls back deployments and notifies nobody. False when absent. */
  readonly isSilent?: boolean;
}

const MINUTE = Duration.minutes(1);
const SUM = { statistic: 'Sum', period: MINUTE };
const AVERAGE = { statistic: 'Average', period: MINUTE };
const SECONDS_PER_MINUTE = 60;

/** Share of requests that get a 5xx response of a function, or whose invocation fails. */
const MAX_ERROR_SHARE = 0.01;
/** Share of requests that get a 5xx response of any kind. Requests that force one with a test key count too. */
const MAX_GATEWAY_ERROR_SHARE = 0.05;
/** Milliseconds. A lookup with a cold start takes less than half of it. */
const MAX_P99_MS = 1_500;
/** Share of the stage's throttle that may fail or be throttled: 6 a minute of 1,000 requests a second. */
const MAX_FAILURES = 0.0001;
/** Share of the stage's throttle that requests may take. Above the throttle API Gateway rejects requests of every caller. */
const MAX_TRAFFIC = 0.8;

/**
 * Ids of the alarms that roll back a new version of a function. A caller can raise none of them. A function turns most of its
 * errors into a 500, which `ErrorRate` counts.
 */
export const rollbackAlarmsOf = (id: FunctionId): readonly string[] => [
  `FunctionErrors-${id}`,
  'ErrorRate',
  'Unreachable',
];

/** Every alarm of a stage. */
export const alarmsOf = ({
  settings: { stage, gradualDeployment, throttle },
  gateway,
  tables,
  functions,
}: MonitoredParts): AlarmDescription[] => {
  const requestsPerMinute = throttle.rateLimit * SECONDS_PER_MINUTE;
  const maxFailures = Math.ceil(requestsPerMinute * MAX_FAILURES);
  return [
    {
      id: 'ErrorRate',
      description: 'More than 1 in 100 requests fails inside the service.',
      metric: serviceMetric(stage, 'ServerErrors', 'Average'),
      threshold: MAX_ERROR_SHARE,
    },
    {
      id: 'DatabaseErrors',
      description: 'Requests to DynamoDB fail even after all retries.',
      metric: serviceMetric(stage, 'DatabaseErrors', 'Sum'),
      threshold: maxFailures,
    },
    {
      id: 'Unreachable',
      description: 'The service does not respond correctly to requests from outside, or the probe does not run.',
      metric: serviceMetric(stage, 'ProbeFailures', 'Sum'),
      threshold: 0,
      needsData: true,
    },
    // The metrics below are AWS's own. They exist even when no function can run.
    {
      id: 'GatewayErrors',
      description: 'More than 5 in 100 requests get a 5xx of any kind, those of functions that cannot run included.',
      // AWS documents that the average is the share for REST APIs only.
      metric: gateway.stage.metricServerError(AVERAGE),
      threshold: MAX_GATEWAY_ERROR_SHARE,
    },
    // API Gateway's own 429 responses have no metric: they are part of its 4xx metric, together with the functions' 4xx.
    {
      id: 'StageThrottle',
      // AWS may apply the throttle per route. Requests are counted for all routes, so none can reach it without this alarm.
      description:
        'Requests reach 80 % of what the throttle allows a route, above which API Gateway rejects those of every caller.',
      metric: gateway.stage.metricCount(SUM),
      threshold: requestsPerMinute * MAX_TRAFFIC,
      breachingMinutes: 1,
    },
    {
      id: 'SlowAnswers',
      description: 'The slowest 1 % of requests take more than 1.5 s.',
      metric: gateway.stage.metricLatency({ statistic: 'p99', period: MINUTE }),
      threshold: MAX_P99_MS,
    },
    {
      id: 'FunctionThrottles',
      description: 'Lambda throttles requests: the concurrency limit of the account is reached.',
      // The limit belongs to account and region, and so does this metric.
      metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...SUM }),
      threshold: maxFailures,
    },
    // No alarm on reads: those that fail after all retries are in `DatabaseErrors`.
    ...tables.throttles('Write').map(({ table, metric }) => ({
      id: `WriteThrottles-${table}`,
      description: `DynamoDB throttles writes of the table ${table}.`,
      metric,
      threshold: maxFailures,
    })),
    // The metric is the alias's, for the new and the previous version together. Values are 0 or 1: the average is a share.
    ...(gradualDeployment ? [...functions] : []).map(([id, { live }]) => ({
      id: `FunctionErrors-${id}`,
      description: `The function ${id} does not start, crashes or times out. Rolls back its deployment, notifies nobody.`,
      metric: live.metricErrors(AVERAGE),
      threshold: MAX_ERROR_SHARE,
      breachingMinutes: 1,
      isSilent: true,
    })),
  ];
};

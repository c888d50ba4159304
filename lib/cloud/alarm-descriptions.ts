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

/** An alarm, and the description that its operator reads. docs/runbook.md has a section on each. */
export interface AlarmDescription {
  readonly id: string;
  readonly description: string;
  readonly metric: IMetric;
  /** The alarm is raised above this value. */
  readonly threshold: number;
  /** Breaching minutes out of the last 5 that raise the alarm; by default the last minute alone decides. */
  readonly breachingMinutes?: number;
  /** Whether a minute without data is breaching. False when absent. */
  readonly needsData?: boolean;
}

const MINUTE = Duration.minutes(1);
const SUM = { statistic: 'Sum', period: MINUTE };
const SECONDS_PER_MINUTE = 60;
const SUSTAINED_MINUTES = 3;

/** Share of requests that get a 5xx response. */
const MAX_ERROR_SHARE = 0.01;
/** Milliseconds. A lookup with a cold start takes less than half of it. */
const MAX_P99_MS = 1_500;
/** Failed or throttled requests per minute. */
const MAX_FAILURES = 5;

/** Share of the stage's throttle that 4xx responses may take. Legitimate callers get some too: unknown vehicles, rate limits. */
const MAX_CLIENT_ERRORS = 0.1;
/** Share of the stage's throttle that requests may take. Above the throttle API Gateway rejects requests of every caller. */
const MAX_TRAFFIC = 0.8;

/** Ids of the alarms that roll back a new version of a function. `ErrorRate` is one: a function turns most of its errors into a 500. */
export const rollbackAlarmsOf = (id: FunctionId): readonly string[] => [
  `FunctionErrors-${id}`,
  `FunctionLatency-${id}`,
  'ErrorRate',
];

/**
 * The metrics are the alias's, for the new and the previous version together: the new version's tenth of the requests shows in
 * the sum of errors and in p99. A metric of the new version alone exists only while the alias has two versions.
 */
const functionAlarms = (id: FunctionId, { live }: EndpointFunction, isGradual: boolean): AlarmDescription[] => [
  {
    id: `FunctionErrors-${id}`,
    description: `The function ${id} does not start, crashes or times out.`,
    metric: live.metricErrors(SUM),
    threshold: 0,
  },
  ...(isGradual
    ? [
        {
          id: `FunctionLatency-${id}`,
          description: `The slowest 1 % of requests to the function ${id} take more than 1.5 s.`,
          metric: live.metricDuration({ statistic: 'p99', period: MINUTE }),
          threshold: MAX_P99_MS,
          breachingMinutes: SUSTAINED_MINUTES,
        },
      ]
    : []),
];

/** Every alarm of a stage. */
export const alarmsOf = ({
  settings: { stage, gradualDeployment, throttle },
  gateway,
  tables,
  functions,
}: MonitoredParts): AlarmDescription[] => [
  {
    id: 'ErrorRate',
    description: 'More than 1 in 100 requests fails inside the service.',
    metric: serviceMetric(stage, 'ServerErrors', 'Average'),
    threshold: MAX_ERROR_SHARE,
    breachingMinutes: SUSTAINED_MINUTES,
  },
  {
    id: 'DatabaseErrors',
    description: 'Requests to DynamoDB fail even after all retries.',
    metric: serviceMetric(stage, 'DatabaseErrors', 'Sum'),
    threshold: MAX_FAILURES,
  },
  {
    id: 'Unreachable',
    description: 'The service does not respond correctly to requests from outside, or the probe does not run.',
    metric: serviceMetric(stage, 'ProbeFailures', 'Sum'),
    threshold: 0,
    breachingMinutes: SUSTAINED_MINUTES,
    needsData: true,
  },
  // The metrics below are AWS's own. They exist even when no function can run.
  // One alarm per function: it names the function, and needs no metric math.
  ...[...functions].flatMap(([id, added]) => functionAlarms(id, added, gradualDeployment)),
  {
    id: 'GatewayErrors',
    description: 'API Gateway responds with 5xx. This includes functions that cannot run.',
    metric: gateway.stage.metricServerError(SUM),
    threshold: MAX_FAILURES,
  },
  {
    id: 'ClientErrors',
    description: 'A tenth of the requests that the throttle allows are answered with 4xx.',
    metric: gateway.stage.metricClientError(SUM),
    threshold: throttle.rateLimit * SECONDS_PER_MINUTE * MAX_CLIENT_ERRORS,
    breachingMinutes: SUSTAINED_MINUTES,
  },
  // API Gateway's own 429 responses have no separate metric: they are part of its 4xx metric, together with the functions' 4xx.
  {
    id: 'StageThrottle',
    // AWS may apply the throttle per route. Requests are counted for all routes, so none can reach it without this alarm.
    description:
      'Requests reach 80 % of what the throttle allows a route, above which API Gateway rejects those of every caller.',
    metric: gateway.stage.metricCount(SUM),
    threshold: throttle.rateLimit * SECONDS_PER_MINUTE * MAX_TRAFFIC,
  },
  {
    id: 'SlowAnswers',
    description: 'The slowest 1 % of requests take more than 1.5 s.',
    metric: gateway.stage.metricLatency({ statistic: 'p99', period: MINUTE }),
    threshold: MAX_P99_MS,
    breachingMinutes: SUSTAINED_MINUTES,
  },
  {
    id: 'FunctionThrottles',
    description: 'Lambda throttles requests: the concurrency limit of the account is reached.',
    // The limit belongs to account and region, and so does this metric.
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...SUM }),
    threshold: 0,
  },
  ...tables.throttles().map((throttle) => ({
    ...throttle,
    threshold: MAX_FAILURES,
    breachingMinutes: SUSTAINED_MINUTES,
  })),
];

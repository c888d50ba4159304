import { Duration } from 'aws-cdk-lib';
import {
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { FunctionId } from '../endpoint-files.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import type { HttpGateway } from './http-gateway.ts';
import { IMPORT_METRICS } from './outputs.ts';
import { metricsNamespace, serviceMetric } from './service-metrics.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

/** The parts of the CDK stack that alarms and dashboard monitor. */
export interface MonitoredParts {
  readonly settings: StageSettings;
  readonly gateway: HttpGateway;
  readonly tables: ServiceTables;
  readonly functions: ReadonlyMap<FunctionId, EndpointFunction>;
  /** Failures of its loads and lost wakes; absent without `intake`. */
  readonly intakeFailures: IMetric | undefined;
}

/** An alarm, and the description that its operator reads. docs/runbook.md has a section on each that notifies. */
export interface AlarmDescription {
  readonly id: string;
  readonly description: string;
  readonly metric: AlarmProps['metric'];
  readonly when: Condition;
  /** Whether the alarm only rolls back deployments and notifies nobody. False when absent. */
  readonly isSilent?: boolean;
}

type Condition = Omit<AlarmProps, 'metric'>;

/** Above the value in 3 minutes of 5, so that one bad minute wakes nobody. Without requests there are no errors. */
const above = (threshold: number): Condition => ({
  threshold,
  comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  evaluationPeriods: 5,
  datapointsToAlarm: 3,
  treatMissingData: TreatMissingData.NOT_BREACHING,
});

const IN_ONE_MINUTE = { evaluationPeriods: 1, datapointsToAlarm: 1 };

/** A sum of 0, or no data, for so many hours. */
const nothingFor = (hours: number): Condition => ({
  threshold: 1,
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  evaluationPeriods: hours,
  treatMissingData: TreatMissingData.BREACHING,
});

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
/** Share of the account's concurrency that all functions of account and region may claim. */
const MAX_CLAIMED = 0.8;

const hoursIn = (time: string): number => Number.parseInt(time, 10) * (time.endsWith('d') ? 24 : 1);

/** No complete import has loaded anything for longer than the stage expects. */
const importAlarms = ({ stage, expectImports = {} }: StageSettings): AlarmDescription[] =>
  (['vehicles', 'compliance'] as const).flatMap((data) => {
    const time = expectImports[data];
    if (time === undefined) return [];
    const metric = new Metric({
      namespace: metricsNamespace(stage),
      metricName: IMPORT_METRICS[data],
      statistic: 'Sum',
      period: Duration.hours(1),
    });
    const description = `No import of ${data} has loaded anything for ${time}.`;
    return [{ id: `NoImport-${data}`, description, metric, when: nothingFor(hoursIn(time)) }];
  });

/** The account runs short of concurrency. The metric counts what other functions reserve, too. */
const concurrencyAlarm = ({ accountConcurrency }: StageSettings): AlarmDescription[] => {
  if (accountConcurrency === undefined) return [];
  const name = { namespace: 'AWS/Lambda', metricName: 'ClaimedAccountConcurrency' };
  return [
    {
      id: 'AccountConcurrency',
      description: `The functions of the account take 80 % of its concurrency, ${accountConcurrency}.`,
      metric: new Metric({ ...name, statistic: 'Maximum', period: MINUTE }),
      when: above(accountConcurrency * MAX_CLAIMED),
    },
  ];
};

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
export const describeAlarms = ({
  settings,
  gateway,
  tables,
  functions,
  intakeFailures,
}: MonitoredParts): AlarmDescription[] => {
  const { stage, gradualDeployment, throttle } = settings;
  const requestsPerMinute = throttle.rateLimit * SECONDS_PER_MINUTE;
  const maxFailures = Math.ceil(requestsPerMinute * MAX_FAILURES);
  return [
    {
      id: 'ErrorRate',
      description: 'More than 1 in 100 requests fails inside the service.',
      metric: serviceMetric(stage, 'ServerErrors', 'Average'),
      when: above(MAX_ERROR_SHARE),
    },
    {
      id: 'DatabaseErrors',
      description: 'Requests to DynamoDB fail even after all retries.',
      metric: serviceMetric(stage, 'DatabaseErrors', 'Sum'),
      when: above(maxFailures),
    },
    {
      id: 'Unreachable',
      description: 'The service does not respond correctly to requests from outside, or the probe does not run.',
      metric: serviceMetric(stage, 'ProbeFailures', 'Sum'),
      when: { ...above(0), treatMissingData: TreatMissingData.BREACHING },
    },
    // The metrics below are AWS's own. They exist even when no function can run.
    {
      id: 'GatewayErrors',
      description: 'More than 5 in 100 requests get a 5xx of any kind, those of functions that cannot run included.',
      // AWS documents that the average is the share for REST APIs only.
      metric: gateway.stage.metricServerError(AVERAGE),
      when: above(MAX_GATEWAY_ERROR_SHARE),
    },
    // API Gateway's own 429 responses have no metric: they are part of its 4xx metric, together with the functions' 4xx.
    {
      id: 'StageThrottle',
      // AWS may apply the throttle per route. Requests are counted for all routes, so none can reach it without this alarm.
      description:
        'Requests reach 80 % of what the throttle allows a route, above which API Gateway rejects those of every caller.',
      metric: gateway.stage.metricCount(SUM),
      when: { ...above(requestsPerMinute * MAX_TRAFFIC), ...IN_ONE_MINUTE },
    },
    {
      id: 'SlowAnswers',
      description: 'The slowest 1 % of requests take more than 1.5 s.',
      metric: gateway.stage.metricLatency({ statistic: 'p99', period: MINUTE }),
      when: above(MAX_P99_MS),
    },
    {
      id: 'FunctionThrottles',
      description: 'Lambda throttles requests: the concurrency limit of the account is reached.',
      // The limit belongs to account and region, and so does this metric.
      metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...SUM }),
      when: above(maxFailures),
    },
    ...concurrencyAlarm(settings),
    // No alarm on reads: those that fail after all retries are in `DatabaseErrors`.
    ...tables.throttles('Write').map(({ table, metric }) => ({
      id: `WriteThrottles-${table}`,
      description: `DynamoDB throttles writes of the table ${table}.`,
      metric,
      when: above(maxFailures),
    })),
    ...importAlarms(settings),
    ...(intakeFailures === undefined
      ? []
      : [
          {
            id: 'IntakeFailed',
            description: 'A file that arrived was not loaded, or the loads are not started any more.',
            metric: intakeFailures,
            when: { ...above(0), ...IN_ONE_MINUTE },
          },
        ]),
    // The metric is the alias's, for the new and the previous version together. Values are 0 or 1: the average is a share.
    ...(gradualDeployment ? [...functions] : []).map(([id, { live }]) => ({
      id: `FunctionErrors-${id}`,
      description: `The function ${id} does not start, crashes or times out. Rolls back its deployment, notifies nobody.`,
      metric: live.metricErrors(AVERAGE),
      when: { ...above(MAX_ERROR_SHARE), ...IN_ONE_MINUTE },
      isSilent: true,
    })),
  ];
};

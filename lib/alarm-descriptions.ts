import { Duration } from 'aws-cdk-lib';
import {
  type AlarmProps,
  ComparisonOperator,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { hoursOf } from '../core/stage/intake-entry.ts';
import { IMPORT_METRICS, NAMELESS, type RecordKind, SUPPLIER_DIMENSION } from '../core/stage/outputs.ts';
import type { FunctionId } from '../functions/endpoints/endpoint-files.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import type { HttpGateway } from './http-gateway.ts';
import type { IntakeProject } from './intake-projects.ts';
import { loadsNamespace, serviceMetric } from './service-metrics.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

export interface MonitoredParts {
  readonly settings: StageSettings;
  readonly gateway: HttpGateway;
  readonly tables: ServiceTables;
  readonly functions: ReadonlyMap<FunctionId, EndpointFunction>;
  /** Empty without the setting `intake`. */
  readonly intakeProjects: readonly IntakeProject[];
}

/** docs/runbook.md has a section on each alarm. */
interface AlarmDescription {
  readonly id: string;
  readonly description: string;
  readonly metric: AlarmProps['metric'];
  readonly when: Condition;
  /** Whether somebody must act now. Any other alarm can wait until somebody reads the mail. */
  readonly isUrgent?: boolean;
}

type Condition = Omit<AlarmProps, 'metric'>;

/**
 * The alarm is raised after 3 breaching minutes of 5, so that one breaching minute notifies nobody. Without requests
 * there are no errors.
 */
const whenAbove = (threshold: number): Condition => ({
  threshold,
  comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  evaluationPeriods: 5,
  datapointsToAlarm: 3,
  treatMissingData: TreatMissingData.NOT_BREACHING,
});

/** The alarm is raised after one breaching period. */
const aboveOnce = (threshold: number): Condition => ({
  ...whenAbove(threshold),
  evaluationPeriods: 1,
  datapointsToAlarm: 1,
});

const MINUTE = Duration.minutes(1);
const SUM = { statistic: 'Sum', period: MINUTE };

/** Maximum share of requests that may fail inside the service. */
const MAX_ERROR_SHARE = 0.01;
/** Maximum share of the stage's throttle that may fail or be throttled: 6 a minute of 1,000 requests a second. */
const MAX_FAILURES = 0.0001;
/** Fewest requests of a minute of which a share of 401 says something. */
const LEAST_REQUESTS = 100;
/** Maximum share of the stage's throttle or of the account's concurrency that may be used. */
const MAX_USED = 0.8;

/** A metric of all functions of the account in this region. */
const lambdaMetric = (metricName: string, statistic: string): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName, statistic, period: MINUTE });

/**
 * The alarm is raised when nothing was loaded for this time, by hand or by the intake, and ends when something is.
 * @param dimensionsMap of one supplier of vehicles; empty for everything of the kind
 */
const nothingLoaded = (stage: string, kind: string, time: string, dimensionsMap: Record<string, string> = {}) => {
  const sum = { metricName: IMPORT_METRICS[kind as RecordKind], dimensionsMap, statistic: 'Sum' };
  return {
    metric: new MathExpression({
      expression: 'FILL(byHand, 0) + FILL(intake, 0)',
      usingMetrics: {
        byHand: new Metric({ namespace: loadsNamespace(stage, 'ByHand'), ...sum }),
        intake: new Metric({ namespace: loadsNamespace(stage, 'Intake'), ...sum }),
      },
      label: 'Loaded',
      period: Duration.hours(1),
    }),
    when: {
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: hoursOf(time),
      treatMissingData: TreatMissingData.BREACHING,
    },
  };
};

const importAlarms = ({ stage, expectImports = {} }: StageSettings): AlarmDescription[] =>
  Object.entries(expectImports).map(([kind, time]) => ({
    id: `NoImport-${kind}`,
    description: `No import of ${kind} has loaded anything for ${time}.`,
    ...nothingLoaded(stage, kind, time),
  }));

const intakeAlarms = (
  { stage, intake = [] }: StageSettings,
  projects: readonly IntakeProject[],
): AlarmDescription[] => [
  ...projects.map(({ name, entries, project }) => ({
    id: `IntakeFailed-${name}`,
    description: `A build failed that loads files from ${entries.map(({ prefix }) => prefix).join(', ')}.`,
    metric: new Metric({
      namespace: 'AWS/CodeBuild',
      metricName: 'FailedBuilds',
      dimensionsMap: { ProjectName: project.ref },
      statistic: 'Sum',
      period: Duration.hours(1),
    }),
    when: aboveOnce(0),
  })),
  ...intake.map(({ prefix, expect, import: kind, supplier = NAMELESS }) => ({
    // Slashes become dots, which prefixes do not contain.
    id: `NothingLoaded-${prefix.replaceAll('/', '.')}`,
    description: `Nothing was loaded of the kind and supplier of ${prefix} for ${expect}.`,
    ...nothingLoaded(stage, kind, expect, kind === 'vehicles' ? { [SUPPLIER_DIMENSION]: supplier } : {}),
  })),
];

export const describeAlarms = ({ settings, gateway, tables, intakeProjects }: MonitoredParts): AlarmDescription[] => {
  const { stage, throttle, accountConcurrency } = settings;
  const requestsPerMinute = throttle.rateLimit * 60;
  const tooManyFailures = whenAbove(Math.ceil(requestsPerMinute * MAX_FAILURES));
  return [
    {
      id: 'ErrorRate',
      description: 'More than 1 in 100 requests fails inside the service.',
      metric: serviceMetric(stage, 'ServerErrors', 'Average'),
      when: whenAbove(MAX_ERROR_SHARE),
      isUrgent: true,
    },
    {
      id: 'DatabaseErrors',
      description: 'Requests to DynamoDB fail even after all retries.',
      metric: serviceMetric(stage, 'DatabaseErrors', 'Sum'),
      when: tooManyFailures,
      isUrgent: true,
    },
    {
      id: 'Unreachable',
      description: 'The service does not respond correctly to requests from outside, or the probe does not run.',
      metric: serviceMetric(stage, 'ProbeFailures', 'Sum'),
      when: { ...whenAbove(0), treatMissingData: TreatMissingData.BREACHING },
      isUrgent: true,
    },
    {
      id: 'ForbiddenAddresses',
      description: 'A key was used from an address that it does not permit, within the last hour.',
      metric: serviceMetric(stage, 'ForbiddenAddresses', 'Sum'),
      // One request of a thief is enough, and steady ones send one mail.
      when: { ...aboveOnce(0), evaluationPeriods: 60 },
    },
    {
      id: 'Unauthorized',
      description: 'More than half of at least 100 requests in a minute are 401.',
      // The line of every request but a 401 has `ServerErrors`.
      metric: new MathExpression({
        expression: `IF(requests < ${LEAST_REQUESTS}, 0, 1 - FILL(others, 0) / requests)`,
        usingMetrics: {
          requests: serviceMetric(stage, 'Requests', 'Sum'),
          others: serviceMetric(stage, 'ServerErrors', 'SampleCount'),
        },
        label: 'Share of 401',
        period: MINUTE,
      }),
      when: whenAbove(0.5),
    },
    // The metrics below are AWS's own. They exist even when no function can run.
    {
      id: 'GatewayErrors',
      // Requests that force a 500 with a test key count too.
      description: 'More than 5 in 100 requests get a 5xx of any kind, also from functions that cannot run.',
      // Divides two sums. AWS documents for REST APIs only that the average of 5xx is their share.
      metric: new MathExpression({
        expression: 'errors / requests',
        usingMetrics: { errors: gateway.stage.metricServerError(SUM), requests: gateway.stage.metricCount(SUM) },
        label: 'Share of 5xx',
        period: MINUTE,
      }),
      when: whenAbove(0.05),
    },
    // API Gateway's own 429 responses have no metric: its 4xx metric also has the functions' 4xx.
    {
      id: 'StageThrottle',
      // AWS may apply the throttle per route. All routes are counted, so none can reach it without this alarm.
      description:
        'Requests reach 80 % of what the throttle allows a route, above which API Gateway rejects requests of every caller.',
      metric: gateway.stage.metricCount(SUM),
      when: aboveOnce(requestsPerMinute * MAX_USED),
    },
    {
      id: 'SlowAnswers',
      // A lookup with a cold start takes less than half of this time.
      description: 'The slowest 1 % of requests take more than 1.5 s.',
      metric: gateway.stage.metricLatency({ statistic: 'p99', period: MINUTE }),
      when: whenAbove(1_500),
    },
    {
      id: 'FunctionThrottles',
      description: 'Lambda throttles requests: the concurrency limit of the account is reached.',
      metric: lambdaMetric('Throttles', 'Sum'),
      when: tooManyFailures,
      isUrgent: true,
    },
    ...(accountConcurrency === undefined
      ? []
      : [
          {
            id: 'AccountConcurrency',
            description: `The functions of the account take 80 % of its concurrency, ${accountConcurrency}.`,
            // The metric includes what other functions reserve.
            metric: lambdaMetric('ClaimedAccountConcurrency', 'Maximum'),
            when: whenAbove(accountConcurrency * MAX_USED),
          },
        ]),
    // No alarm on reads: those that fail after all retries are in `DatabaseErrors`.
    ...tables.throttles('Write').map(({ table, metric }) => ({
      id: `WriteThrottles-${table}`,
      description: `DynamoDB throttles writes of the table ${table}.`,
      metric,
      when: tooManyFailures,
      // Callers get 429 for requests that their plan allows, which no other alarm counts.
      isUrgent: table === 'usage',
    })),
    ...importAlarms(settings),
    ...intakeAlarms(settings, intakeProjects),
  ];
};

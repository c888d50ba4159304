import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MonitoredParts } from './alarm-descriptions.ts';
import { serviceMetric } from './service-metrics.ts';

export interface ServiceDashboardProps extends MonitoredParts {
  readonly alarms: readonly Alarm[];
}

const MINUTE = Duration.minutes(1);

/** Widths in columns; a dashboard has 24. */
const THIRD = 8;
const FULL = 24;

const graph = (title: string, left: IMetric[], options: { right?: IMetric[]; stacked?: boolean } = {}) =>
  new GraphWidget({ title, left, width: THIRD, leftYAxis: { min: 0 }, ...options });

const trafficAndErrors = ({ settings: { stage }, gateway }: ServiceDashboardProps): IWidget[] => [
  graph('Traffic: requests per minute', [serviceMetric(stage, 'Requests', 'Sum').with({ label: 'served' })]),
  graph('Errors: responses per minute', [
    gateway.stage.metricServerError({ statistic: 'Sum', period: MINUTE, label: '5xx' }),
    gateway.stage.metricClientError({ statistic: 'Sum', period: MINUTE, label: '4xx' }),
  ]),
  graph(
    'Latency at the gateway (ms)',
    ['p50', 'p90', 'p99'].map((statistic) =>
      gateway.stage.metricLatency({ statistic, period: MINUTE, label: statistic }),
    ),
  ),
];

const limitsAndDatabase = ({ settings: { stage }, tables, functions }: ServiceDashboardProps): IWidget[] => [
  graph('Rate limited: 429 responses per minute', [serviceMetric(stage, 'RateLimited', 'Sum').with({ label: '429' })]),
  graph('Database: throttled and failed requests', [
    ...tables.throttles().map(({ label, metric }) => metric.with({ label })),
    serviceMetric(stage, 'DatabaseErrors', 'Sum').with({ label: 'requests failed by DynamoDB errors' }),
  ]),
  graph(
    'p99 by function (ms)',
    [...functions].map(([id, { lambda }]) => lambda.metricDuration({ statistic: 'p99', label: id })),
  ),
];

const costDrivers = ({ settings: { stage }, tables, functions }: ServiceDashboardProps): IWidget[] => [
  graph(
    'Cost: invocations',
    [...functions].map(([id, { lambda }]) => lambda.metricInvocations({ label: id })),
    { stacked: true, right: [serviceMetric(stage, 'ColdStart', 'Sum').with({ label: 'cold starts' })] },
  ),
  graph(
    'Cost: read units',
    Object.entries(tables.byId).map(([label, table]) => table.metricConsumedReadCapacityUnits({ label })),
    { stacked: true },
  ),
  graph(
    'Cost: write units',
    Object.entries(tables.byId).map(([label, table]) => table.metricConsumedWriteCapacityUnits({ label })),
    { stacked: true },
  ),
];

const outcomes = ({ functions }: ServiceDashboardProps): IWidget =>
  new LogQueryWidget({
    title: 'Requests by plan, endpoint and outcome',
    logGroupNames: [...functions.values()].map(({ logGroup }) => logGroup.logGroupName),
    queryLines: [
      'filter ispresent(Requests)',
      'stats count(*) as requests, pct(Latency, 99) as p99ms by plan, endpoint, status, code',
      'sort requests desc',
    ],
    view: LogQueryVisualizationType.TABLE,
    width: FULL,
  });

/** The CloudWatch dashboard of a stage, from top to bottom: alarms, traffic and errors, rate limits and database, costs, outcomes. */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    new Dashboard(this, 'Dashboard', {
      dashboardName: `vehicle-verification-${props.settings.stage}`,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...props.alarms], width: FULL, height: 4 })],
        trafficAndErrors(props),
        limitsAndDatabase(props),
        costDrivers(props),
        [outcomes(props)],
      ],
    });
  }
}

import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
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

const graph = (title: string, left: IMetric[], options: { stacked?: boolean } = {}) =>
  new GraphWidget({ title, left, width: THIRD, leftYAxis: { min: 0 }, ...options });

/** Lambda's own metric of each function. A table of log lines would scan all logs of the chosen time at each view. */
const byFunction = (title: string, name: string, statistic: string, { functions }: ServiceDashboardProps) =>
  graph(
    title,
    [...functions].map(([label, { lambda }]) => lambda.metric(name, { statistic, period: MINUTE, label })),
  );

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

const limitsAndDatabase = ({ settings: { stage }, tables }: ServiceDashboardProps): IWidget[] => [
  graph('Rate limited: 429 responses per minute', [serviceMetric(stage, 'RateLimited', 'Sum').with({ label: '429' })]),
  graph('Database: throttled and failed requests', [
    ...[...tables.throttles('Read'), ...tables.throttles('Write')].map(({ label, metric }) => metric.with({ label })),
    serviceMetric(stage, 'DatabaseErrors', 'Sum').with({ label: 'requests failed by DynamoDB errors' }),
    serviceMetric(stage, 'LostUnits', 'Sum').with({ label: 'units lost' }),
  ]),
  graph('Cold starts', [serviceMetric(stage, 'ColdStart', 'Sum').with({ label: 'cold starts' })]),
];

const functionHealth = (props: ServiceDashboardProps): IWidget[] => [
  byFunction('Functions: p99 (ms)', 'Duration', 'p99', props),
  byFunction('Functions: crashes and timeouts', 'Errors', 'Sum', props),
  byFunction('Functions: throttled requests', 'Throttles', 'Sum', props),
];

const costDrivers = (props: ServiceDashboardProps): IWidget[] => [
  byFunction('Cost: invocations', 'Invocations', 'Sum', props),
  graph(
    'Cost: read units',
    Object.entries(props.tables.byId).map(([label, table]) => table.metricConsumedReadCapacityUnits({ label })),
    { stacked: true },
  ),
  graph(
    'Cost: write units',
    Object.entries(props.tables.byId).map(([label, table]) => table.metricConsumedWriteCapacityUnits({ label })),
    { stacked: true },
  ),
];

/** The CloudWatch dashboard of a stage, from top to bottom: alarms, traffic and errors, rate limits and database, functions, costs. */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    new Dashboard(this, 'Dashboard', {
      // With the region: all regions of an account share the names.
      dashboardName: `vehicle-verification-${props.settings.stage}-${props.settings.region}`,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...props.alarms], width: FULL, height: 4 })],
        trafficAndErrors(props),
        limitsAndDatabase(props),
        functionHealth(props),
        costDrivers(props),
      ],
    });
  }
}

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

const MINUTE = Duration.minutes(1);

/** Widths in columns, of which a dashboard has 24. */
const THIRD = 8;
const FULL = 24;

const graph = (title: string, left: IMetric[], options: { stacked?: boolean } = {}) =>
  new GraphWidget({ title, left, width: THIRD, leftYAxis: { min: 0 }, ...options });

/** The rows of graphs, from top to bottom. */
const rowsOf = ({ settings: { stage }, gateway, tables, functions }: MonitoredParts): IWidget[][] => {
  const counted = (name: Parameters<typeof serviceMetric>[1], label: string) =>
    serviceMetric(stage, name, 'Sum').with({ label });
  // Lambda's own metric of each function. A table of log lines would scan all logs of the chosen time at each view.
  const byFunction = (title: string, name: string, statistic: string) =>
    graph(
      title,
      [...functions].map(([label, { lambda }]) => lambda.metric(name, { statistic, period: MINUTE, label })),
    );
  const byTable = (title: string, name: 'metricConsumedReadCapacityUnits' | 'metricConsumedWriteCapacityUnits') =>
    graph(
      title,
      Object.entries(tables.byId).map(([label, table]) => table[name]({ label })),
      { stacked: true },
    );
  return [
    [
      graph('Traffic: requests per minute', [counted('Requests', 'served')]),
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
    ],
    [
      graph('Rate limited: 429 responses per minute', [counted('RateLimited', '429')]),
      graph('Database: throttled and failed requests', [
        ...[...tables.throttles('Read'), ...tables.throttles('Write')].map(({ label, metric }) =>
          metric.with({ label }),
        ),
        counted('DatabaseErrors', 'requests failed by DynamoDB errors'),
        counted('LostUnits', 'units lost'),
      ]),
      graph('Cold starts', [counted('ColdStart', 'cold starts')]),
    ],
    [
      byFunction('Functions: p99 (ms)', 'Duration', 'p99'),
      byFunction('Functions: crashes and timeouts', 'Errors', 'Sum'),
      byFunction('Functions: throttled requests', 'Throttles', 'Sum'),
    ],
    [
      byFunction('Cost: invocations', 'Invocations', 'Sum'),
      byTable('Cost: read units', 'metricConsumedReadCapacityUnits'),
      byTable('Cost: write units', 'metricConsumedWriteCapacityUnits'),
    ],
  ];
};

/** Adds the CloudWatch dashboard of a stage, with its alarms above the graphs. */
export const addDashboard = (scope: Construct, parts: MonitoredParts, alarms: Alarm[]): Dashboard => {
  const { stage, region } = parts.settings;
  return new Dashboard(new Construct(scope, 'Dashboard'), 'Dashboard', {
    // The name has the region, because all regions of an account share the names.
    dashboardName: `vehicle-verification-${stage}-${region}`,
    widgets: [[new AlarmStatusWidget({ title: 'Alarms', alarms, width: FULL, height: 4 })], ...rowsOf(parts)],
  });
};

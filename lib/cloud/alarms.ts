import { ArnFormat, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { HttpGateway } from './http-gateway.ts';
import { serviceMetric } from './service-metrics.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';
import { tableThrottles } from './table-throttles.ts';

export interface ServiceAlarmsProps {
  readonly settings: StageSettings;
  readonly gateway: HttpGateway;
  readonly tables: ServiceTables;
}

/** An alarm in an operator's words. docs/operations.md says of each what it means and what to do. */
interface AlarmDescription {
  readonly id: string;
  readonly says: string;
  readonly metric: IMetric;
  readonly above: number;
  /** Minutes of the last five that must be bad: one bad minute of a quiet night wakes nobody. */
  readonly minutes?: number;
}

const MINUTE = Duration.minutes(1);
const WINDOW_MINUTES = 5;
const SUSTAINED = 3;

/** Share of requests answered with 5xx. */
const ERROR_SHARE = 0.01;
/** Milliseconds; a cold start included, a look-up stays under half of it. */
const SLOW_P99_MS = 1_500;
/** Requests a minute. */
const FEW = 5;

/** What the functions count of themselves. */
const fromFunctions = (stage: string): AlarmDescription[] => [
  {
    id: 'ErrorRate',
    says: 'More than 1 in 100 requests fails inside the service.',
    metric: serviceMetric(stage, 'ServerErrors', 'Average'),
    above: ERROR_SHARE,
    minutes: SUSTAINED,
  },
  {
    id: 'DatabaseFaults',
    says: 'Requests to DynamoDB fail even after all retries.',
    metric: serviceMetric(stage, 'DatabaseFaults', 'Sum'),
    above: FEW,
  },
];

/** What the platform sees, also when no function could run. */
const fromPlatform = ({ stage }: HttpGateway): AlarmDescription[] => [
  {
    id: 'GatewayErrors',
    says: 'API Gateway answers 5xx, functions that cannot run included.',
    metric: stage.metricServerError({ statistic: 'Sum', period: MINUTE }),
    above: FEW,
  },
  {
    id: 'SlowAnswers',
    says: 'The slowest hundredth of requests takes over 1.5 s.',
    metric: stage.metricLatency({ statistic: 'p99', period: MINUTE }),
    above: SLOW_P99_MS,
    minutes: SUSTAINED,
  },
  {
    id: 'FunctionThrottles',
    says: 'Lambda turns requests away: the account’s concurrency is used up.',
    // The limit belongs to account and region, and so does this metric.
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period: MINUTE }),
    above: 0,
  },
];

const descriptions = ({ settings, gateway, tables }: ServiceAlarmsProps): AlarmDescription[] => [
  ...fromFunctions(settings.stage),
  ...fromPlatform(gateway),
  ...tableThrottles(tables).map(({ id, says, metric }) => ({ id, says, metric, above: FEW, minutes: SUSTAINED })),
];

/** The alarms, and the topic that tells of them. */
export class ServiceAlarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: ServiceAlarmsProps) {
    super(scope, id);
    const { alarmEmail, stage } = props.settings;
    // Alarms name metrics and thresholds, nothing personal; a key of our own would be needed to encrypt them at rest.
    const topic = new Topic(this, 'Topic', { displayName: `Vehicle verification, ${stage}`, enforceSSL: true });
    allowAlarmsToPublish(topic);
    if (alarmEmail !== undefined) tellByEmail(topic, alarmEmail);
    const tell = new SnsAction(topic);
    this.all = descriptions(props).map((description) => {
      const alarm = new Alarm(this, description.id, alarmProps(description));
      alarm.addAlarmAction(tell);
      alarm.addOkAction(tell);
      return alarm;
    });
  }
}

/**
 * Lets CloudWatch publish for the alarms of this account and region. `enforceSSL` writes a topic policy, which replaces the
 * default one of SNS: without this statement every notification would be rejected, visible only in the alarm's history.
 * The conditions are those that AWS documents for alarms: another account's alarm cannot use CloudWatch to publish here.
 */
const allowAlarmsToPublish = (topic: Topic): void => {
  const stack = Stack.of(topic);
  const alarms = {
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  };
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AllowAlarmsToPublish',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': stack.account },
        ArnLike: { 'aws:SourceArn': stack.formatArn(alarms) },
      },
    }),
  );
};

const tellByEmail = (topic: Topic, email: string): void => {
  topic.addSubscription(new EmailSubscription(email));
  Validations.of(topic).acknowledge({
    id: 'Serverless-SNSRedrivePolicy',
    reason: 'Mail that bounces cannot be sent again from a queue; the alarm stands on the dashboard all the same.',
  });
};

const alarmProps = ({ says, metric, above, minutes = 1 }: AlarmDescription): AlarmProps => ({
  alarmDescription: says,
  metric,
  threshold: above,
  comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  evaluationPeriods: minutes === 1 ? 1 : WINDOW_MINUTES,
  datapointsToAlarm: minutes,
  // No request, no fault.
  treatMissingData: TreatMissingData.NOT_BREACHING,
});

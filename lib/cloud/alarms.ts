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

export interface ServiceAlarmsProps {
  readonly settings: StageSettings;
  readonly gateway: HttpGateway;
  readonly tables: ServiceTables;
}

/** An alarm as the operator reads it. docs/operations.md lists its meaning and the remedy. */
interface AlarmDescription {
  readonly id: string;
  readonly description: string;
  readonly metric: IMetric;
  /** The alarm is raised above this value. */
  readonly threshold: number;
  /** Breaching minutes out of the last 5 that raise the alarm; by default the last minute alone decides. */
  readonly breachingMinutes?: number;
}

const MINUTE = Duration.minutes(1);
const WINDOW_MINUTES = 5;
const SUSTAINED_MINUTES = 3;

/** Share of requests that get a 5xx response. */
const MAX_ERROR_SHARE = 0.01;
/** Milliseconds. A lookup with a cold start takes less than half of it. */
const MAX_P99_MS = 1_500;
/** Failed or throttled requests per minute. */
const MAX_FAILURES = 5;

const alarmsOf = ({ settings: { stage }, gateway, tables }: ServiceAlarmsProps): AlarmDescription[] => [
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
  // The metrics below are the platform's. They exist even when no function can run.
  {
    id: 'GatewayErrors',
    description: 'API Gateway responds with 5xx. This includes functions that cannot run.',
    metric: gateway.serverErrors(),
    threshold: MAX_FAILURES,
  },
  {
    id: 'SlowAnswers',
    description: 'The slowest 1 % of requests take more than 1.5 s.',
    metric: gateway.latency('p99'),
    threshold: MAX_P99_MS,
    breachingMinutes: SUSTAINED_MINUTES,
  },
  {
    id: 'FunctionThrottles',
    description: 'Lambda throttles requests: the concurrency limit of the account is reached.',
    // The limit belongs to account and region, and so does this metric.
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period: MINUTE }),
    threshold: 0,
  },
  ...tables.throttles().map((throttle) => ({
    ...throttle,
    threshold: MAX_FAILURES,
    breachingMinutes: SUSTAINED_MINUTES,
  })),
];

/** The alarms, and the topic to which they publish when they begin and end. */
export class ServiceAlarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: ServiceAlarmsProps) {
    super(scope, id);
    const { alarmEmail, stage } = props.settings;
    // An alarm holds metric names and thresholds, no personal data. Encryption at rest would need a customer managed key.
    const topic = new Topic(this, 'Topic', { displayName: `Vehicle verification, ${stage}`, enforceSSL: true });
    allowAlarmsToPublish(topic);
    if (alarmEmail !== undefined) subscribeByEmail(topic, alarmEmail);
    const publish = new SnsAction(topic);
    this.all = alarmsOf(props).map((described) => {
      const alarm = new Alarm(this, described.id, alarmProps(described));
      alarm.addAlarmAction(publish);
      alarm.addOkAction(publish);
      return alarm;
    });
  }
}

/**
 * Lets CloudWatch publish for the alarms of this account and region. `enforceSSL` writes a topic policy, which replaces the
 * default policy of SNS: without this statement every notification would be rejected, visible only in the alarm's history.
 *
 * The account field of `aws:SourceArn` limits the statement to this account. SNS documents that key for alarms ("Allow any
 * CloudWatch alarm to publish to a topic in a different account"). It documents `aws:SourceAccount` for other services
 * only: if an alarm did not send it, a condition on it would silence every alarm.
 */
const allowAlarmsToPublish = (topic: Topic): void => {
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
      conditions: { ArnLike: { 'aws:SourceArn': Stack.of(topic).formatArn(alarms) } },
    }),
  );
};

const subscribeByEmail = (topic: Topic, email: string): void => {
  topic.addSubscription(new EmailSubscription(email));
  Validations.of(topic).acknowledge({
    id: 'Serverless-SNSRedrivePolicy',
    reason: 'A queue cannot resend bounced mail. The dashboard shows the alarm in any case.',
  });
};

const alarmProps = ({ description, metric, threshold, breachingMinutes = 1 }: AlarmDescription): AlarmProps => ({
  alarmDescription: description,
  metric,
  threshold,
  comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  evaluationPeriods: breachingMinutes === 1 ? 1 : WINDOW_MINUTES,
  datapointsToAlarm: breachingMinutes,
  // Without requests there are no errors.
  treatMissingData: TreatMissingData.NOT_BREACHING,
});

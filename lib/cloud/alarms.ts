import { Annotations, ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type Subscription, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { describeAlarms, type MonitoredParts } from './alarm-descriptions.ts';

/** The alarms, and the topic to which they publish when they are raised and when they end. */
export class ServiceAlarms extends Construct {
  /** The stack's own topic. A subscription of yours gets every alarm that notifies. */
  readonly topic: Topic;
  readonly byId: ReadonlyMap<string, Alarm>;
  /**
   * The subscription of `alarmEmail`, if there is one. Created after the probe: until its first runs, `Unreachable` has no data and
   * would notify.
   */
  readonly subscription?: Subscription;

  constructor(scope: Construct, id: string, props: MonitoredParts) {
    super(scope, id);
    const { alarmEmail, alarmTopicArn, keepsData, stage, file, runbookUrl } = props.settings;
    // An alarm holds metric names and thresholds, no personal data. Encryption at rest would need a customer managed key.
    this.topic = new Topic(this, 'Topic', { displayName: `Vehicle verification, ${stage}`, enforceSSL: true });
    allowAlarmsToPublish(this.topic);
    if (alarmEmail !== undefined) this.subscription = subscribeByEmail(this.topic, alarmEmail);
    else if (keepsData && alarmTopicArn === undefined) warnThatNobodyIsNotified(this.topic, file);
    const others = alarmTopicArn === undefined ? [] : [Topic.fromTopicArn(this, 'OtherTopic', alarmTopicArn)];
    const publish = [this.topic, ...others].map((topic) => new SnsAction(topic));
    const alarms = describeAlarms(props).map(({ id: alarmId, description, metric, when, isSilent }) => {
      const whatToDo = isSilent ? '' : ` What to do: ${runbookSection(alarmId, runbookUrl)}`;
      const alarm = new Alarm(this, alarmId, { alarmDescription: description + whatToDo, metric, ...when });
      if (!isSilent) {
        alarm.addAlarmAction(...publish);
        alarm.addOkAction(...publish);
      }
      return [alarmId, alarm] as const;
    });
    this.byId = new Map(alarms);
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

const subscribeByEmail = (topic: Topic, email: string): Subscription => {
  const subscription = topic.addSubscription(new EmailSubscription(email));
  Validations.of(topic).acknowledge({
    id: 'Serverless-SNSRedrivePolicy',
    reason: 'A queue cannot resend bounced mail. The dashboard shows the alarm in any case.',
  });
  return subscription;
};

/** Warns in `cdk synth`, `diff` and `deploy`. Stages that keep no data need no notification. */
const warnThatNobodyIsNotified = (topic: Topic, file: string): void =>
  Annotations.of(topic).addWarningV2(
    'vehicle-verification:noAlarmEmail',
    `The alarms notify nobody: add "alarmEmail": "you@example.com" or "alarmTopicArn" to ${file}.`,
  );

/** The link to the runbook's section on an alarm. Those of several tables share one: `WriteThrottles-usage` is in `writethrottles`. */
const runbookSection = (id: string, runbook = 'docs/runbook.md'): string =>
  `${runbook}#${id.replace(/-.*/, '').toLowerCase()}`;

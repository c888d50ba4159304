import { Annotations, ArnFormat, Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type Subscription, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { describeAlarms, type MonitoredParts } from './alarm-descriptions.ts';

/** The alarms, and the topic to which they publish when they are raised and when they end. */
export class ServiceAlarms extends Construct {
  /** The stack's own topic, which gets every alarm, and sends it to `alarmEmail`. */
  readonly topic: Topic;
  readonly all: readonly Alarm[];
  /** Must be created after the probe: before its first runs `Unreachable` has no data, and would send a mail. */
  readonly subscription?: Subscription;

  constructor(scope: Construct, id: string, props: MonitoredParts) {
    super(scope, id);
    const { alarmEmail, alarmTopicArn, keepsData, stage, file, runbookUrl } = props.settings;
    // An alarm has no personal data. Encryption at rest would need a customer managed key.
    this.topic = new Topic(this, 'Topic', { displayName: `Vehicle verification, ${stage}`, enforceSSL: true });
    allowAlarmsToPublish(this.topic);
    if (alarmEmail !== undefined) {
      this.subscription = this.topic.addSubscription(new EmailSubscription(alarmEmail));
    } else if (keepsData && alarmTopicArn === undefined) {
      Annotations.of(this.topic).addWarningV2(
        'vehicle-verification:noAlarmEmail',
        `The alarms notify nobody: add "alarmEmail": "you@example.com" or "alarmTopicArn" to ${file}.`,
      );
    }
    const others = alarmTopicArn === undefined ? [] : [Topic.fromTopicArn(this, 'OtherTopic', alarmTopicArn)];
    const now = [this.topic, ...others].map((topic) => new SnsAction(topic));
    // Alarms that can wait go to the mail alone, unless there is none.
    const later = alarmEmail === undefined ? now : now.slice(0, 1);
    this.all = describeAlarms(props).map(({ id: alarmId, description, metric, when, isUrgent }) => {
      const alarmDescription = `${description} What to do: ${runbookSection(alarmId, runbookUrl)}`;
      const alarm = new Alarm(this, alarmId, { alarmDescription, metric, ...when });
      const publish = isUrgent ? now : later;
      alarm.addAlarmAction(...publish);
      alarm.addOkAction(...publish);
      return alarm;
    });
  }
}

/**
 * Lets CloudWatch publish for the alarms of this account and region. The topic policy of `enforceSSL` replaces the
 * default policy of SNS: without this statement every notification would be rejected, visible only in the alarm's
 * history.
 *
 * The condition is on `aws:SourceArn`, as SNS documents it for alarms. It documents `aws:SourceAccount` for other
 * services only: if alarms did not send it, every notification would be rejected.
 */
const allowAlarmsToPublish = (topic: Topic): void => {
  const name = { service: 'cloudwatch', resource: 'alarm', resourceName: '*' };
  const alarms = Stack.of(topic).formatArn({ ...name, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AllowAlarmsToPublish',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { ArnLike: { 'aws:SourceArn': alarms } },
    }),
  );
};

/** The link to the runbook's section on an alarm: `WriteThrottles-usage` is in `writethrottles`. */
const runbookSection = (id: string, runbook = 'docs/runbook.md'): string =>
  `${runbook}#${id.replace(/-.*/, '').toLowerCase()}`;

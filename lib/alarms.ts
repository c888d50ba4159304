import { Annotations, ArnFormat, Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { describeAlarms, type MonitoredParts } from './alarm-descriptions.ts';
import type { Probe } from './probe.ts';
import type { StageSettings } from './stage-settings.ts';

interface AlarmTopicProps {
  readonly settings: StageSettings;
  readonly probe: Probe;
}

/** The topics to which the alarms publish when they are raised and when they end. */
export class AlarmTopic extends Construct {
  /** The stack's own topic, which gets every alarm, and sends it to `alarmEmail`. */
  readonly own: Topic;
  /** The topic for what is no alarm: the operator's own where there is no address for mail. */
  readonly messagesArn: string;
  /** The topics of alarms that need a person now, and of those that can wait. */
  readonly actions: Readonly<Record<'now' | 'later', readonly SnsAction[]>>;

  constructor(scope: Construct, id: string, { settings, probe }: AlarmTopicProps) {
    super(scope, id);
    const { alarmEmail, alarmTopicArn, keepsData, stage, file } = settings;
    // An alarm has no personal data. Encryption at rest would need a customer managed key.
    this.own = new Topic(this, 'Topic', { displayName: `Vehicle verification, ${stage}`, enforceSSL: true });
    allowAlarmsToPublish(this.own);
    if (alarmEmail !== undefined) {
      // Before the first runs of the probe `Unreachable` has no data, and would send a mail.
      this.own.addSubscription(new EmailSubscription(alarmEmail)).node.addDependency(probe);
    } else if (keepsData && alarmTopicArn === undefined) {
      Annotations.of(this.own).addWarningV2(
        'vehicle-verification:noAlarmEmail',
        `The alarms notify nobody: add "alarmEmail": "you@example.com" or "alarmTopicArn" to ${file}.`,
      );
    }
    this.messagesArn = (alarmEmail === undefined && alarmTopicArn) || this.own.topicArn;
    const others = alarmTopicArn === undefined ? [] : [Topic.fromTopicArn(this, 'OtherTopic', alarmTopicArn)];
    const now = [this.own, ...others].map((topic) => new SnsAction(topic));
    // Alarms that can wait go to the mail alone, unless there is none.
    this.actions = { now, later: alarmEmail === undefined ? now : now.slice(0, 1) };
  }
}

/** Adds the alarms, which publish to the topic. */
export const addAlarms = (topic: AlarmTopic, parts: MonitoredParts): Alarm[] =>
  describeAlarms(parts).map(({ id, description, metric, when, isUrgent }) => {
    const alarmDescription = `${description} What to do: ${runbookSection(id, parts.settings.runbookUrl)}`;
    const alarm = new Alarm(topic, id, { alarmDescription, metric, ...when });
    const actions = topic.actions[isUrgent ? 'now' : 'later'];
    alarm.addAlarmAction(...actions);
    alarm.addOkAction(...actions);
    return alarm;
  });

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

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { metrics, referenced, resourcesOf, SERVING, templateOf, warningsOf } from './synthesised.ts';

const template = await templateOf({ stage: 'prod', settings: { alarmEmail: 'ops@example.com' } });

interface AlarmProperties {
  readonly MetricName: string;
  readonly Namespace: string;
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly Threshold: number;
  readonly DatapointsToAlarm: number;
  readonly EvaluationPeriods: number;
  readonly AlarmActions: readonly unknown[];
  readonly OKActions: readonly unknown[];
}

interface TopicPolicy {
  readonly Topics: readonly unknown[];
  readonly PolicyDocument: { readonly Statement: readonly unknown[] };
}

/** The statements of a topic's policies. With none, the default policy of SNS would apply. */
const topicStatements = (topic: string) =>
  resourcesOf(template, 'AWS::SNS::TopicPolicy')
    .map(({ properties }) => properties as unknown as TopicPolicy)
    .filter(({ Topics }) => Topics.some((named) => referenced(named) === topic))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

describe('The alarms', () => {
  const isSilent = (id: string) => id.startsWith('AlarmsFunctionErrors');
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(({ id, properties }) => ({
    id,
    ...(properties as unknown as AlarmProperties),
  }));
  const notifying = alarms.filter(({ id }) => !isSilent(id));

  it('monitor errors, the probe, latency, throttling and the database', () => {
    expect(
      alarms.map(
        ({ Namespace, MetricName, Statistic, ExtendedStatistic, Threshold, DatapointsToAlarm, EvaluationPeriods }) =>
          `${Namespace} ${MetricName} ${Statistic ?? ExtendedStatistic} > ${Threshold}, ${DatapointsToAlarm} of ${EvaluationPeriods} min`,
      ),
    ).toEqual([
      'VehicleVerification/prod ServerErrors Average > 0.01, 3 of 5 min',
      'VehicleVerification/prod DatabaseErrors Sum > 6, 3 of 5 min',
      'VehicleVerification/prod ProbeFailures Sum > 0, 3 of 5 min',
      'AWS/ApiGateway 5xx Average > 0.05, 3 of 5 min',
      'AWS/ApiGateway Count Sum > 48000, 1 of 1 min',
      'AWS/ApiGateway Latency p99 > 1500, 3 of 5 min',
      'AWS/Lambda Throttles Sum > 6, 3 of 5 min',
      'AWS/DynamoDB WriteThrottleEvents Sum > 6, 3 of 5 min',
      'AWS/DynamoDB WriteThrottleEvents Sum > 6, 3 of 5 min',
      ...SERVING.map(() => 'AWS/Lambda Errors Average > 0.01, 1 of 1 min'),
    ]);
  });

  it('have limits that grow with the stage’s throttle', async () => {
    const settings = { throttle: { rateLimit: 5_000, burstLimit: 500 } };
    const thresholds = resourcesOf(await templateOf({ stage: 'dev', settings }), 'AWS::CloudWatch::Alarm')
      .filter(({ properties }) => properties.Statistic === 'Sum' && properties.MetricName !== 'ProbeFailures')
      .map(({ properties: { MetricName, Threshold } }) => [MetricName, Threshold]);
    expect(thresholds).toEqual([
      ['DatabaseErrors', 30],
      ['Count', 240_000],
      ['Throttles', 30],
      ['WriteThrottleEvents', 30],
      ['WriteThrottleEvents', 30],
    ]);
  });

  it('count a minute without data as a failure for the probe only', () => {
    const sensitive = resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(
      ({ properties }) => properties.TreatMissingData !== 'notBreaching',
    );
    expect(sensitive.map(({ id, properties }) => [id, properties.TreatMissingData])).toEqual([
      [expect.stringMatching(/^AlarmsUnreachable/), 'breaching'],
    ]);
  });

  it.each([undefined, 'https://example.com/runbook.md'])(
    'link to their section of the runbook, and every section has an alarm: %s',
    async (runbookUrl) => {
      const runbook = readFileSync('docs/runbook.md', 'utf8');
      const [, ...sections] = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
      const described = await templateOf({ stage: 'prod', settings: { ...(runbookUrl && { runbookUrl }) } });
      const linked = resourcesOf(described, 'AWS::CloudWatch::Alarm').filter(({ id }) => !isSilent(id));
      const sectionOf = (id: string) => sections.find((section) => id.startsWith(`Alarms${section}`));
      expect([...new Set(linked.map(({ id }) => sectionOf(id)))].sort()).toEqual([...sections].sort());
      for (const { id, properties } of linked) {
        const link = `${runbookUrl ?? 'docs/runbook.md'}#${sectionOf(id)?.toLowerCase()}`;
        expect(properties.AlarmDescription).toMatch(new RegExp(` What to do: ${RegExp.escape(link)}$`));
      }
      for (const section of sections) {
        expect(runbook).toMatch(new RegExp(`^## ${section}\n\n\\*\\*Means:\\*\\* `, 'm'));
      }
    },
  );

  it('publish to the topic, which sends email to alarmEmail, except those that only roll back a function', () => {
    const silent = resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(
      ({ properties: { AlarmActions, OKActions } }) => AlarmActions === undefined && OKActions === undefined,
    );
    expect(silent.map(({ id }) => isSilent(id))).toEqual(SERVING.map(() => true));
    expect(notifying.length).toBeLessThanOrEqual(14);
    expect(notifying).toHaveLength(alarms.length - SERVING.length);
    const [subscription] = resourcesOf(template, 'AWS::SNS::Subscription');
    expect(subscription?.properties).toMatchObject({ Protocol: 'email', Endpoint: 'ops@example.com' });
  });

  it('exist for single functions only where they roll back deployments', async () => {
    const ofDev = resourcesOf(await templateOf({ stage: 'dev' }), 'AWS::CloudWatch::Alarm');
    expect(ofDev.filter(({ id }) => isSilent(id))).toEqual([]);
    expect(ofDev).toHaveLength(notifying.length);
  });

  it('have a warning that names setting and file when a stage that keeps data has no alarmEmail', async () => {
    expect(await warningsOf({ stage: 'prod' })).toEqual([
      expect.stringMatching(/notify nobody: add "alarmEmail": "you@example\.com" to \S+\/prod\.json\./),
    ]);
    expect(await warningsOf({ stage: 'prod', settings: { alarmEmail: 'ops@example.com' } })).toEqual([]);
    expect(await warningsOf({ stage: 'dev' })).toEqual([]);
  });

  it('have permission to publish to the topic, over TLS only and only from this account', () => {
    const topics = new Map(resourcesOf(template, 'AWS::SNS::Topic').map(({ id, properties }) => [id, properties]));
    expect(notifying.length).toBeGreaterThan(0);
    for (const { AlarmActions, OKActions } of notifying) {
      const actions = [...AlarmActions, ...OKActions].map(referenced);
      expect(actions).toHaveLength(2);
      for (const topic of actions) {
        expect([...topics.keys()]).toContain(topic);
        // An encrypted topic also needs a customer managed key whose policy allows CloudWatch.
        expect(topics.get(topic)).toEqual(expect.not.objectContaining({ KmsMasterKeyId: expect.anything() }));
        const statements = topicStatements(topic);
        expect(statements).toContainEqual({
          Sid: 'AllowAlarmsToPublish',
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: 'sns:Publish',
          Resource: { Ref: topic },
          Condition: {
            ArnLike: {
              'aws:SourceArn': 'arn:aws:cloudwatch:eu-west-2:123456789012:alarm:*',
            },
          },
        });
        expect(statements).toContainEqual(
          expect.objectContaining({
            Effect: 'Deny',
            Principal: '*',
            Action: 'sns:Publish',
            Resource: { Ref: topic },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        );
      }
    }
  });

  it('use metrics that the functions emit', () => {
    const source = readFileSync('core/observability/log.ts', 'utf8');
    const counted = [...source.matchAll(/addMetric\('(\w+)'/g)].map(([, name]) => name);
    expect([...metrics].sort()).toEqual(counted.sort());
  });
});

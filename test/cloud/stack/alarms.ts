import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { metrics, referenced, resourcesOf, SERVING, templateOf, warningsOf } from './synthesised.ts';

const template = await templateOf({ stage: 'prod', settings: { alarmEmail: 'ops@example.com' } });

interface AlarmProperties {
  readonly AlarmDescription: string;
  readonly MetricName: string;
  readonly Period: number;
  readonly Namespace: string;
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
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(
    ({ properties }) => properties as unknown as AlarmProperties,
  );

  it('monitor errors, the probe, latency, throttling and the database', () => {
    expect(
      alarms.map(
        ({ Namespace, MetricName, Threshold, DatapointsToAlarm, EvaluationPeriods }) =>
          `${Namespace} ${MetricName} > ${Threshold}, ${DatapointsToAlarm} of ${EvaluationPeriods} min`,
      ),
    ).toEqual([
      'VehicleVerification/prod ServerErrors > 0.01, 3 of 5 min',
      'VehicleVerification/prod DatabaseErrors > 5, 1 of 1 min',
      'VehicleVerification/prod ProbeFailures > 0, 3 of 5 min',
      ...SERVING.flatMap(() => ['AWS/Lambda Errors > 0, 1 of 1 min', 'AWS/Lambda Duration > 1500, 3 of 5 min']),
      'AWS/ApiGateway 5xx > 5, 1 of 1 min',
      'AWS/ApiGateway 4xx > 6000, 3 of 5 min',
      'AWS/ApiGateway Count > 48000, 1 of 1 min',
      'AWS/ApiGateway Latency > 1500, 3 of 5 min',
      'AWS/Lambda Throttles > 0, 1 of 1 min',
      'AWS/DynamoDB ReadThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB ReadThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB WriteThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB ReadThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB ReadThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB ReadThrottleEvents > 5, 3 of 5 min',
      'AWS/DynamoDB WriteThrottleEvents > 5, 3 of 5 min',
    ]);
  });

  it('monitor errors and failed starts of each function', () => {
    const functions = resourcesOf(template, 'AWS::Lambda::Function')
      .map(({ id }) => id)
      .filter((id) => !id.startsWith('Probe'));
    const named = resourcesOf(template, 'AWS::CloudWatch::Alarm')
      .filter(({ properties }) => properties.MetricName === 'Errors')
      .map(({ properties }) => properties.Dimensions as { readonly Name: string; readonly Value: unknown }[])
      .flatMap((dimensions) => dimensions.filter(({ Name }) => Name === 'FunctionName'))
      .map(({ Value }) => referenced(Value));
    expect(named.sort()).toEqual(functions.sort());
  });

  it('detect abuse by shares of the stage’s throttle', async () => {
    const settings = { throttle: { rateLimit: 200, burstLimit: 500 } };
    const thresholds = resourcesOf(await templateOf({ stage: 'prod', settings }), 'AWS::CloudWatch::Alarm')
      .filter(({ id }) => /^Alarms(ClientErrors|StageThrottle)/.test(id))
      .map(({ properties: { MetricName, Threshold, Period, Statistic } }) => [
        MetricName,
        Statistic,
        Period,
        Threshold,
      ]);
    expect(thresholds).toEqual([
      ['4xx', 'Sum', 60, 1_200],
      ['Count', 'Sum', 60, 9_600],
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

  it('link to their section of the runbook, and every section has an alarm', () => {
    const runbook = readFileSync('docs/runbook.md', 'utf8');
    const [, ...sections] = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const ids = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(({ id }) => id);
    const sectionOf = (id: string) => sections.find((section) => id.startsWith(`Alarms${section}`));
    expect([...new Set(ids.map(sectionOf))].sort()).toEqual([...sections].sort());
    expect(alarms.map(({ AlarmDescription }) => AlarmDescription)).toEqual(
      ids.map((id) => expect.stringMatching(`What to do: docs/runbook.md#${sectionOf(id)?.toLowerCase()}$`)),
    );
    for (const section of sections) expect(runbook).toMatch(new RegExp(`^## ${section}\n\n\\*\\*Means:\\*\\* `, 'm'));
  });

  it('all publish to the topic, which sends email to alarmEmail', () => {
    for (const { AlarmActions } of alarms) expect(AlarmActions).toHaveLength(1);
    const [subscription] = resourcesOf(template, 'AWS::SNS::Subscription');
    expect(subscription?.properties).toMatchObject({ Protocol: 'email', Endpoint: 'ops@example.com' });
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
    expect(alarms.length).toBeGreaterThan(0);
    for (const { AlarmActions, OKActions } of alarms) {
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

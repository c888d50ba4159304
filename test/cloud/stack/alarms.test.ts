import { readFileSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import { logProbe, logRequest } from '../../../core/runtime/log.ts';
import {
  DEV,
  FULL,
  KEPT,
  LOADS,
  metrics,
  PROD,
  type Resource,
  resourcesOf,
  stacks,
  statementsOf,
  type Template,
} from './templates.ts';

const isUrgent = ({ id }: { readonly id: string }) =>
  /^Alarms(Unreachable|ErrorRate|DatabaseErrors|FunctionThrottles|WriteThrottlesusage)/.test(id);
const ON_CALL = 'arn:aws:sns:eu-west-2:123456789012:on-call';
const ELSEWHERE = 'arn:aws:sns:eu-west-1:210987654321:on-call';
const alarmsOf = (template: Template): (Resource['Properties'] & { readonly id: string })[] =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(({ id, Properties }) => ({ id, ...Properties }));

/**
 * `AWS/ApiGateway Latency by ApiId, Stage: p99 > 1500 in 3 of 5, notBreaching`; what is computed of two metrics by its
 * expression.
 */
const described = (alarm: Resource['Properties']): string => {
  const { Namespace, MetricName, Dimensions = [], Statistic, ExtendedStatistic, ComparisonOperator, Threshold } = alarm;
  const { DatapointsToAlarm = 'all', EvaluationPeriods, Period, TreatMissingData, Metrics = [] } = alarm;
  const names = (Dimensions as readonly { readonly Name: string }[]).map(({ Name }) => Name);
  const [share] = (Metrics as readonly { readonly Expression?: string }[]).map(({ Expression }) => Expression);
  const metric = share ?? `${Namespace} ${MetricName} by ${names.join(', ')}: ${Statistic ?? ExtendedStatistic}`;
  const comparison = ComparisonOperator === 'GreaterThanThreshold' ? '>' : ComparisonOperator;
  const periods = `${EvaluationPeriods}${Period === 3_600 ? ' hours' : ''}`;
  return `${metric} ${comparison} ${Threshold} in ${DatapointsToAlarm} of ${periods}, ${TreatMissingData}`;
};

/** An alarm that is raised when neither metric has a value above zero for so many hours. */
const whenNothingLoaded = (EvaluationPeriods: number, MetricName: string, ...Dimensions: readonly object[]) => {
  const sumOf = (namespace: string) => ({
    MetricStat: {
      Metric: {
        Namespace: `VehicleVerification/prod/${namespace}`,
        MetricName,
        ...(Dimensions.length > 0 && { Dimensions }),
      },
      Period: 3_600,
      Stat: 'Sum',
    },
    ReturnData: false,
  });
  const total = { Expression: 'FILL(byHand, 0) + FILL(intake, 0)' };
  return {
    Metrics: [total, { Id: 'byHand', ...sumOf('ByHand') }, { Id: 'intake', ...sumOf('Intake') }],
    ComparisonOperator: 'LessThanThreshold',
    Threshold: 1,
    EvaluationPeriods,
    TreatMissingData: 'breaching',
  };
};

describe('The alarms', () => {
  it('monitor errors, the probe, latency, throttling and the database, within limits of the stage’s throttle', () => {
    const others = alarmsOf(FULL).filter(({ id }) => !id.startsWith('AlarmsNoImport'));
    expect(others.map(described)).toEqual([
      'VehicleVerification/prod ServerErrors by service: Average > 0.01 in 3 of 5, notBreaching',
      'VehicleVerification/prod DatabaseErrors by service: Sum > 30 in 3 of 5, notBreaching',
      'VehicleVerification/prod ProbeFailures by service: Sum > 0 in 3 of 5, breaching',
      'VehicleVerification/prod ForbiddenAddresses by service: Sum > 0 in 1 of 60, notBreaching',
      'IF(requests < 100, 0, 1 - FILL(others, 0) / requests) > 0.5 in 3 of 5, notBreaching',
      'errors / requests > 0.05 in 3 of 5, notBreaching',
      'AWS/ApiGateway Count by ApiId, Stage: Sum > 240000 in 1 of 1, notBreaching',
      'AWS/ApiGateway Latency by ApiId, Stage: p99 > 1500 in 3 of 5, notBreaching',
      'AWS/Lambda Throttles by : Sum > 30 in 3 of 5, notBreaching',
      'AWS/Lambda ClaimedAccountConcurrency by : Maximum > 800 in 3 of 5, notBreaching',
      ...Array(2).fill('AWS/DynamoDB WriteThrottleEvents by TableName: Sum > 30 in 3 of 5, notBreaching'),
    ]);
    const sums = alarmsOf(PROD).filter(({ Statistic }) => Statistic === 'Sum');
    expect(sums.map(({ Threshold }) => Threshold)).toEqual([6, 0, 0, 48_000, 6, 6, 6]);
    const gatewayErrors = alarmsOf(PROD).find(({ id }) => id.startsWith('AlarmsGatewayErrors'));
    expect(JSON.stringify(gatewayErrors?.Metrics).match(/"Stat":"\w+"/g)).toEqual(['"Stat":"Sum"', '"Stat":"Sum"']);
  });

  it('exist for the imports that are expected and each entry of the intake, and count loads by hand and by the intake alike', () => {
    expect(alarmsOf(FULL).filter(({ id }) => id.startsWith('AlarmsNoImport'))).toMatchObject([
      whenNothingLoaded(26, 'VehiclesLoaded'),
      whenNothingLoaded(168, 'ComplianceLoaded'),
    ]);
    const ofEntries = alarmsOf(LOADS).filter(({ id }) => id.startsWith('AlarmsNothingLoaded'));
    const acme = { Name: 'supplier', Value: 'acme' };
    expect(ofEntries).toMatchObject([
      whenNothingLoaded(26, 'VehiclesLoaded', acme),
      whenNothingLoaded(168, 'VehiclesLoaded', acme),
      whenNothingLoaded(48, 'ComplianceLoaded'),
    ]);
    expect(ofEntries[0]?.AlarmDescription).toMatch(
      /^Nothing was loaded of the kind and supplier of vehicles\/acme\/ for 26h\. /,
    );
  });

  it('exist for each project of the intake whose builds fail', () => {
    const ofIntake = alarmsOf(LOADS).filter(({ id }) => id.startsWith('AlarmsIntake'));
    expect(ofIntake.map(described)).toEqual(
      Array(2).fill('AWS/CodeBuild FailedBuilds by ProjectName: Sum > 0 in 1 of 1 hours, notBreaching'),
    );
    expect(ofIntake[0]?.AlarmDescription).toMatch(
      /^A build failed that loads files from vehicles\/acme\/, vehicles\/acme-changes\/\. /,
    );
  });

  it('exist in every stage, and for the imports that are expected', () => {
    const ofDev = alarmsOf(DEV).map(({ id }) => id);
    expect(ofDev).toEqual(alarmsOf(PROD).map(({ id }) => id));
    const others = alarmsOf(KEPT).filter(({ id }) => !ofDev.includes(id));
    expect(others).toMatchObject([{ EvaluationPeriods: 24 }]);
  });

  it('link to their section of the runbook, and every section has an alarm', () => {
    const runbook = readFileSync('docs/runbook.md', 'utf8');
    const [, ...sections] = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const sectionOf = (id: string) => sections.find((section) => id.startsWith(`Alarms${section}`));
    const named = [FULL, LOADS].flatMap(alarmsOf).map(({ id }) => sectionOf(id));
    expect([...new Set(named)].sort()).toEqual([...sections].sort());
    for (const [template, address] of [
      [FULL, 'https://example.com/runbook.md'],
      [LOADS, 'docs/runbook.md'],
    ] as const) {
      for (const { id, AlarmDescription } of alarmsOf(template)) {
        const [, link] = String(AlarmDescription).split(' What to do: ');
        expect({ id, link }).toEqual({ id, link: `${address}#${sectionOf(id)?.toLowerCase()}` });
      }
    }
  });

  it('go to alarmEmail, and those that need a person now to alarmTopicArn too', () => {
    const [topic] = resourcesOf(FULL, 'AWS::SNS::Topic');
    const mail = { Ref: topic?.id };
    expect(FULL.Outputs.AlarmTopic?.Value).toEqual(mail);
    for (const alarm of alarmsOf(FULL)) {
      const { id, AlarmActions, OKActions } = alarm;
      const topics = isUrgent(alarm) ? [mail, ON_CALL] : [mail];
      expect({ id, AlarmActions, OKActions }).toEqual({ id, AlarmActions: topics, OKActions: topics });
    }
    expect(resourcesOf(FULL, 'AWS::SNS::Subscription')).toMatchObject([
      { Properties: { Protocol: 'email', Endpoint: 'ops@example.com', TopicArn: { Ref: topic?.id } } },
    ]);
  });

  it('go to alarmTopicArn all where there is no alarmEmail', () => {
    const { template } = stacks.kept;
    const [topic] = resourcesOf(template, 'AWS::SNS::Topic');
    for (const { AlarmActions } of alarmsOf(template)) expect(AlarmActions).toEqual([{ Ref: topic?.id }, ELSEWHERE]);
  });

  // That publishing needs TLS is a rule of AwsSolutions.
  it('have permission to publish to the topic, only from this account', () => {
    const [topic] = resourcesOf(FULL, 'AWS::SNS::Topic').map(({ id }) => ({ Ref: id }));
    const policies = resourcesOf(FULL, 'AWS::SNS::TopicPolicy');
    expect(policies).toMatchObject([{ Properties: { Topics: [topic] } }]);
    const publish = { Action: 'sns:Publish', Resource: topic };
    expect(policies.flatMap(statementsOf).filter(({ Effect }) => Effect === 'Allow')).toMatchObject([
      {
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        ...publish,
        Condition: { ArnLike: { 'aws:SourceArn': 'arn:aws:cloudwatch:eu-west-2:123456789012:alarm:*' } },
      },
    ]);
  });

  it('have a warning that names setting and file when a stage that keeps data has no alarmEmail', () => {
    expect(stacks.prod.warnings).toEqual([
      expect.stringMatching(
        /notify nobody: add "alarmEmail": "you@example\.com" or "alarmTopicArn" to \S+\/prod\.json\./,
      ),
    ]);
    expect([...stacks.full.warnings, ...stacks.dev.warnings]).toEqual([]);
  });

  it('use metrics that the functions emit', () => {
    Object.assign(process.env, { POWERTOOLS_METRICS_NAMESPACE: 'Test', AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' });
    const written: string[] = [];
    jest.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(String(line)) > 0);
    const request = { requestId: 'r', endpoint: 'e', isForced: false, latencyMs: 1, databaseError: true, probe: false };
    logRequest({ ...request, status: 429, code: 'RATE_LIMITED', lostUnits: 1 });
    logRequest({ ...request, status: 403, code: 'ADDRESS_FORBIDDEN' });
    logProbe([]);
    jest.restoreAllMocks();
    const emitted = written.flatMap((line) => [...line.matchAll(/"Name":"(\w+)"/g)].map(([, name]) => name));
    expect([...metrics].sort()).toEqual([...new Set(emitted)].sort());
  });
});

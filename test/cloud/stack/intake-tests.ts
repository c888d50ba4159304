import { describe, expect, it } from '@jest/globals';
import { LOADS, PROD, type Resource, referenced, resourcesOf, statementsOf } from './templates.ts';

const propertiesOf = (type: string) =>
  resourcesOf(LOADS, type)
    .filter(({ id }) => /^(Alarms)?Intake/.test(id))
    .map(({ Properties }) => Properties as never as Record<string, never>);
const [bucket] = resourcesOf(LOADS, 'AWS::S3::Bucket') as [Resource & { readonly id: string }];
const [project] = propertiesOf('AWS::CodeBuild::Project') as readonly Record<string, unknown>[];

/** `s3:GetObject` of `Bucket/reports/*`; the rest of an id is a hash. */
const permissions = (type: string, id: string): string[] => {
  const shown = (value: unknown): string =>
    JSON.stringify(value)
      .replace(/\{"Fn::Join":\["",\[(.*?)\]\]\}/g, (_, parts: string) => JSON.parse(`[${parts}]`).map(shown).join(''))
      .replace(/\{"Fn::GetAtt":\["(?:Intake|Tables)?(\w+?)[0-9A-F]{8}","\w+"\]\}/g, '$1')
      .replaceAll('"', '');
  return resourcesOf(LOADS, type)
    .filter((resource) => resource.id.startsWith(id))
    .flatMap(statementsOf)
    .flatMap(({ Action, Resource }) =>
      [Action].flat().flatMap((action) => [Resource].flat().map((resource) => `${action} ${shown(resource)}`)),
    )
    .map((line) => line.replace(/arn:aws:s3:::cdk-\w+-assets-[\w-]+/, 'assets').replace(/\w{64}/, 'HASH'))
    .sort();
};

describe('A stage with intake', () => {
  it('has all that the stage without it has, and beside it what begins with Intake', () => {
    const changed = Object.entries(LOADS.Resources).filter(
      ([id, resource]) => JSON.stringify(PROD.Resources[id]) !== JSON.stringify(resource),
    );
    const ids = changed.map(([id]) => id).filter((id) => !/^(Alarms)?Intake/.test(id));
    // Operators may handle its files (operator-policy-tests.ts).
    expect(ids.map((id) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual([
      'Dashboard',
      'OperatorsPolicy',
      'LoadOperatorsPolicy',
    ]);
    expect(Object.keys(PROD.Resources).filter((id) => !(id in LOADS.Resources))).toEqual([]);
    expect(Object.keys(LOADS.Outputs).filter((id) => !(id in PROD.Outputs))).toEqual([
      'IntakeBucket',
      'IntakePolicyVehiclesAcme',
      'IntakePolicyCompliance',
    ]);
    // CloudFormation's limit.
    expect(Object.keys(LOADS.Resources).length).toBeLessThan(500);
  });

  it('keeps the bucket as its tables: encrypted, with versions, without public access; only control/ does not expire', () => {
    expect(bucket).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: {
        BucketEncryption: { ServerSideEncryptionConfiguration: [expect.anything()] },
        NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, BlockPublicPolicy: true, RestrictPublicBuckets: true },
        VersioningConfiguration: { Status: 'Enabled' },
      },
    });
    const { Rules } = bucket.Properties.LifecycleConfiguration as {
      readonly Rules: readonly Record<string, unknown>[];
    };
    expect(
      Rules.map(({ Prefix, ExpirationInDays, NoncurrentVersionExpiration }) => [
        Prefix,
        ExpirationInDays,
        (NoncurrentVersionExpiration as { NoncurrentDays: number }).NoncurrentDays,
      ]),
    ).toEqual([
      ['vehicles/acme/', 30, 1],
      ['compliance/', 30, 1],
      ['reports/', 90, 1],
    ]);
  });

  it('runs one build at a time, and a wake waits for more than twice its timeout', () => {
    expect(project).toMatchObject({
      ConcurrentBuildLimit: 1,
      Environment: { Type: 'ARM_CONTAINER' },
      Source: { Type: 'S3', BuildSpec: expect.stringContaining('index.mjs') },
    });
    expect(project).not.toHaveProperty('VpcConfig');
    const [queue] = propertiesOf('AWS::SQS::Queue').filter((one) => one.RedrivePolicy) as never as [
      { VisibilityTimeout: number; RedrivePolicy: { maxReceiveCount: number }; MessageRetentionPeriod?: number },
    ];
    const waitSeconds = queue.VisibilityTimeout * queue.RedrivePolicy.maxReceiveCount;
    expect(waitSeconds).toBeGreaterThan(2 * Number(project?.TimeoutInMinutes) * 60);
    expect(queue).not.toHaveProperty('MessageRetentionPeriod');
  });

  it('is woken by files under its prefixes and every hour, in one group of a FIFO queue', () => {
    const rules = propertiesOf('AWS::Events::Rule');
    expect(rules).toMatchObject([
      {
        EventPattern: {
          'detail-type': ['Object Created'],
          detail: {
            bucket: { name: [{ Ref: bucket.id }] },
            object: { key: [{ prefix: 'vehicles/acme/' }, { prefix: 'compliance/' }] },
          },
        },
      },
      { ScheduleExpression: 'rate(1 hour)' },
    ]);
    const targets = rules.flatMap(({ Targets }) => Targets as never as readonly { SqsParameters: unknown }[]);
    expect(targets.map(({ SqsParameters }) => SqsParameters)).toEqual([
      { MessageGroupId: 'wakes' },
      { MessageGroupId: 'wakes' },
    ]);
    expect(propertiesOf('AWS::SQS::Queue').map(({ FifoQueue }) => FifoQueue)).toEqual([true, true]);
  });

  it('gives the build no more permissions than it needs', () => {
    const write = ['BatchGetItem', 'DeleteItem', 'PutItem', 'Scan'].map((action) => `dynamodb:${action}`);
    expect(permissions('AWS::IAM::Role', 'IntakeRole')).toEqual([
      'cloudwatch:PutMetricData *',
      ...write.flatMap((action) => [`${action} compliance`, `${action} vehicles`]),
      ...['logs:CreateLogStream Logs', 'logs:PutLogEvents Logs'],
      ...['s3:GetBucketAcl assets', 's3:GetBucketLocation assets'],
      ...['s3:GetObject Bucket/*', 's3:GetObject assets/HASH.zip'],
      ...['s3:GetObjectVersion Bucket/*', 's3:GetObjectVersion assets/HASH.zip'],
      ...['s3:ListBucket Bucket', 's3:ListBucketVersions Bucket'],
      ...['s3:PutObject Bucket/control/loaded/*', 's3:PutObject Bucket/reports/*'],
    ]);
  });

  it('has a policy for each prefix: put files there, and get their reports', () => {
    expect(permissions('AWS::IAM::ManagedPolicy', 'IntakeIntakePolicyVehiclesAcme')).toEqual([
      's3:AbortMultipartUpload Bucket/vehicles/acme/*',
      's3:GetObject Bucket/reports/vehicles/acme/*',
      's3:ListBucket Bucket',
      's3:PutObject Bucket/vehicles/acme/*',
    ]);
    expect(referenced(LOADS.Outputs.IntakePolicyCompliance?.Value)).toMatch(/^IntakeIntakePolicyCompliance/);
  });

  it('has one alarm, on builds that fail and wakes that are lost', () => {
    const [{ Metrics = [] } = {}, ...others] = propertiesOf('AWS::CloudWatch::Alarm') as readonly {
      Metrics?: readonly { MetricStat?: { Metric: { MetricName: string } } }[];
    }[];
    expect(others).toEqual([]);
    expect(Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric.MetricName ?? [])).toEqual([
      'FailedBuilds',
      'ApproximateNumberOfMessagesVisible',
    ]);
  });
});

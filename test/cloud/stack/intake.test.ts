import { describe, expect, it } from '@jest/globals';
import {
  LOADS,
  OTHER_LOADS,
  PROD,
  type Resource,
  referenced,
  resourcesOf,
  statementsOf,
  type Template,
} from './templates.ts';

const propertiesOf = (type: string) =>
  resourcesOf(LOADS, type)
    .filter(({ id }) => id.startsWith('Intake'))
    .map(({ Properties }) => Properties as never as Record<string, never>);
const [bucket] = resourcesOf(LOADS, 'AWS::S3::Bucket') as [Resource & { readonly id: string }];
const projects = propertiesOf('AWS::CodeBuild::Project') as never as readonly {
  readonly ConcurrentBuildLimit: number;
  readonly Source: { readonly BuildSpec: string };
}[];
interface Target {
  readonly Arn: unknown;
}
const [OPERATORS = '', LOAD_OPERATORS = ''] = ['OperatorsPolicy', 'LoadOperatorsPolicy'].map(
  (start) => Object.keys(LOADS.Resources).find((id) => id.startsWith(start)) ?? start,
);
const STACK_ARN = 'arn:aws:cloudformation:eu-west-2:123456789012:stack/vehicle-verification-prod/*';

/** `s3:GetObject` of `Bucket/reports/*`; the rest of an id is a hash. */
const permissions = (type: string, id: string, principal?: object): string[] => {
  const shown = (value: unknown): string =>
    JSON.stringify(value)
      .replace(/\{"Fn::Join":\["",\[(.*?)\]\]\}/g, (_, parts: string) => JSON.parse(`[${parts}]`).map(shown).join(''))
      .replace(/\{"Fn::GetAtt":\["(?:Intake|Tables)?(\w+?)[0-9A-F]{8}","\w+"\]\}/g, '$1')
      .replace(/\{"Ref":"(\w+?)[0-9A-F]{8}"\}/g, '$1')
      .replaceAll('"', '');
  return resourcesOf(LOADS, type)
    .filter((resource) => resource.id.startsWith(id))
    .flatMap(statementsOf)
    .filter(({ Principal }) => principal === undefined || JSON.stringify(Principal) === JSON.stringify(principal))
    .flatMap(({ Action, Resource }) =>
      [Action].flat().flatMap((action) => [Resource].flat().map((resource) => `${action} ${shown(resource)}`)),
    )
    .map((line) => line.replace(/arn:aws:s3:::cdk-\w+-assets-[\w-]+/, 'assets'))
    .sort();
};

describe('A stage with intake', () => {
  it('has all that the stage without it has, and beside it what begins with Intake', () => {
    const changed = Object.entries(LOADS.Resources).filter(
      ([id, resource]) => JSON.stringify(PROD.Resources[id]) !== JSON.stringify(resource),
    );
    const ids = changed.map(([id]) => id).filter((id) => !/^(Intake|AlarmsIntake|AlarmsNothingLoaded)/.test(id));
    // Operators may handle its files (operator-policy.test.ts).
    expect(ids).toEqual([expect.stringMatching(/^Dashboard/), OPERATORS, LOAD_OPERATORS]);
    expect(Object.keys(PROD.Resources).filter((id) => !(id in LOADS.Resources))).toEqual([]);
    expect(Object.keys(LOADS.Outputs).filter((id) => !(id in PROD.Outputs))).toEqual([
      'IntakeBucket',
      'IntakeSettings',
    ]);
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
      ['vehicles/acme-changes/', 30, 1],
      ['compliance/', 30, 1],
      ['reports/', 90, 1],
    ]);
  });

  it('has a project for each kind and supplier, which runs one build of the CLI at a time', () => {
    const stack = 'vehicle-verification-prod';
    expect(projects.map(({ ConcurrentBuildLimit }) => ConcurrentBuildLimit)).toEqual([1, 1]);
    expect(projects.map(({ Source }) => JSON.parse(Source.BuildSpec).phases.build.commands)).toEqual(
      ['vehicles --supplier acme', 'compliance'].map((whose) => [
        `node --disable-warning=ExperimentalWarning index.mjs intake ${whose} --stack ${stack} --yes ${stack} --json || test $? -eq 1`,
      ]),
    );
  });

  it.each([
    [LOADS, 'ARM_CONTAINER', 'amazonlinux-aarch64-standard:4.0'],
    [OTHER_LOADS, 'LINUX_CONTAINER', 'amazonlinux-x86_64-standard:6.0'],
  ])('builds on the architecture of the stage: %#', (template, Type, image) => {
    const [{ Properties: { Environment } = {} } = {}] = resourcesOf(template, 'AWS::CodeBuild::Project');
    expect(Environment).toEqual({ Type, Image: `aws/codebuild/${image}`, ComputeType: 'BUILD_GENERAL1_SMALL' });
  });

  it('starts a project when a file is put under its prefixes and every six hours at a minute of its own, and never retries', () => {
    const pattern = (...prefixes: readonly string[]) => ({
      'detail-type': ['Object Created'],
      detail: { bucket: { name: [{ Ref: bucket.id }] }, object: { key: prefixes.map((prefix) => ({ prefix })) } },
    });
    const RetryPolicy = { MaximumRetryAttempts: 0 };
    expect(propertiesOf('AWS::Events::Rule')).toMatchObject([
      {
        EventPattern: pattern('vehicles/acme/', 'vehicles/acme-changes/'),
        ScheduleExpression: 'cron(0 0/6 * * ? *)',
        Targets: [{ RetryPolicy }],
      },
      {
        EventPattern: pattern('compliance/'),
        ScheduleExpression: 'cron(18 0/6 * * ? *)',
        Targets: [{ RetryPolicy }],
      },
    ]);
    const started = propertiesOf('AWS::Events::Rule').flatMap(({ Targets }) => Targets as never as readonly Target[]);
    expect(started.map(({ Arn }) => referenced(Arn))).toEqual(
      resourcesOf(LOADS, 'AWS::CodeBuild::Project').map(({ id }) => id),
    );
  });

  it('starts no project before the stack’s own probe is there, because builds read the outputs of a whole stack', () => {
    for (const { DependsOn } of resourcesOf(LOADS, 'AWS::Events::Rule').filter(({ id }) => id.startsWith('Intake'))) {
      expect(DependsOn).toContainEqual(expect.stringMatching(/^ProbeFunction/));
    }
  });

  const write = ['BatchGetItem', 'DeleteItem', 'PutItem', 'Scan'].map((action) => `dynamodb:${action}`);
  const ON_BUCKET = [
    ...['s3:GetObject Bucket/*', 's3:GetObjectVersion Bucket/*'],
    ...['s3:ListBucket Bucket', 's3:ListBucketVersions Bucket'],
    ...['s3:PutObject Bucket/control/loaded/*', 's3:PutObject Bucket/reports/*'],
  ];

  it('gives all builds one role, with no more permissions than they need, which only CodeBuild of this account gets', () => {
    expect(permissions('AWS::IAM::Role', 'IntakeRole')).toEqual(
      [
        `cloudformation:DescribeStacks ${STACK_ARN}`,
        'cloudwatch:PutMetricData *',
        ...write.flatMap((action) => [`${action} compliance`, `${action} vehicles`]),
        ...['logs:CreateLogStream Logs', 'logs:PutLogEvents Logs'],
        ...['s3:GetBucketAcl assets', 's3:GetBucketLocation assets'],
        // Of any deployment: one that a running or waiting build was started by may be the one before.
        ...['s3:GetObject assets/*.zip', 's3:GetObjectVersion assets/*.zip'],
        ...ON_BUCKET,
        'sns:Publish AlarmsTopic',
      ].sort(),
    );
    expect(propertiesOf('AWS::IAM::Role')).toContainEqual(
      expect.objectContaining({
        AssumeRolePolicyDocument: expect.objectContaining({
          Statement: [
            expect.objectContaining({
              Principal: { Service: 'codebuild.amazonaws.com' },
              Condition: { StringEquals: { 'aws:SourceAccount': '123456789012' } },
            }),
          ],
        }),
      }),
    );
  });

  it.each([OPERATORS, LOAD_OPERATORS])(
    '%s permits the same on bucket and topic to whoever runs it by hand',
    (policy) => {
      expect(permissions('AWS::IAM::ManagedPolicy', policy)).toEqual(
        expect.arrayContaining([...ON_BUCKET, 'cloudwatch:PutMetricData *', 'sns:Publish AlarmsTopic']),
      );
    },
  );

  it('keeps every permission of a running build when entries, tables or the program change', () => {
    const statements = (template: Template) =>
      resourcesOf(template, 'AWS::IAM::Role')
        .filter(({ id }) => id.startsWith('IntakeRole'))
        .flatMap(statementsOf);
    const withoutTopic = (template: Template) => statements(template).filter(({ Action }) => Action !== 'sns:Publish');
    expect(withoutTopic(OTHER_LOADS)).toEqual(withoutTopic(LOADS));
    // On a named table, which a later deployment may take away, in a resource that is deleted last.
    const named = resourcesOf(OTHER_LOADS, 'AWS::IAM::Policy').filter(({ id }) => id.startsWith('IntakeRole'));
    expect(named.flatMap(statementsOf)).toMatchObject([{ Action: write }]);
  });

  it('lets whom an entry names put files under its prefix and get their reports, by the bucket’s policy', () => {
    const supplier = { AWS: 'arn:aws:iam::210987654321:role/acme' };
    expect(permissions('AWS::S3::BucketPolicy', 'Intake', supplier)).toEqual([
      's3:AbortMultipartUpload Bucket/vehicles/acme/*',
      's3:GetObject Bucket/reports/vehicles/acme/*',
      's3:ListBucket Bucket',
      's3:PutObject Bucket/vehicles/acme/*',
    ]);
    const lists = resourcesOf(LOADS, 'AWS::S3::BucketPolicy')
      .flatMap(statementsOf)
      .filter(({ Action }) => Action === 's3:ListBucket');
    expect(lists).toMatchObject([{ Condition: { StringLike: { 's3:prefix': 'reports/vehicles/acme/*' } } }]);
  });

  it('has an alarm for each project whose builds fail, and one for each entry from which nothing was loaded', () => {
    const alarms = resourcesOf(LOADS, 'AWS::CloudWatch::Alarm')
      .filter(({ id }) => /^Alarms(Intake|NothingLoaded)/.test(id))
      .map(({ Properties }) => Properties as Record<string, unknown>);
    expect(alarms.map(({ AlarmDescription }) => String(AlarmDescription).replace(/ What to do.*/, ''))).toEqual([
      'A build failed that loads files from vehicles/acme/, vehicles/acme-changes/.',
      'A build failed that loads files from compliance/.',
      'Nothing was loaded from vehicles/acme/ for 26h.',
      'Nothing was loaded from vehicles/acme-changes/ for 7d.',
      'Nothing was loaded from compliance/ for 2d.',
    ]);
    const [failed, , nothing] = alarms;
    expect(failed).toMatchObject({ MetricName: 'FailedBuilds', TreatMissingData: 'notBreaching' });
    expect(nothing).toMatchObject({
      ...{ MetricName: 'VehiclesLoaded', Dimensions: [{ Name: 'entry', Value: 'vehicles/acme/' }] },
      ...{ EvaluationPeriods: 26, Period: 3_600, TreatMissingData: 'breaching' },
    });
  });

  it.each([
    [LOADS, { Ref: expect.stringMatching(/^AlarmsTopic/) }],
    [OTHER_LOADS, 'arn:aws:sns:eu-west-2:123456789012:on-call'],
  ])('tells of refused files by its own topic, or by the other one where there is no mail: %#', (template, topic) => {
    const publish = resourcesOf(template, 'AWS::IAM::Role')
      .filter(({ id }) => id.startsWith('IntakeRole'))
      .flatMap(statementsOf)
      .filter(({ Action }) => Action === 'sns:Publish');
    expect(publish.map(({ Resource }) => Resource)).toEqual([topic]);
  });
});

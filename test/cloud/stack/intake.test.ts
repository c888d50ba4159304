import { describe, expect, it } from '@jest/globals';
import {
  LOADS,
  OTHER_LOADS,
  PROD,
  permissionsIn,
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

const statementsIn = (template: Template, type: string, start: string) =>
  resourcesOf(template, type)
    .filter(({ id }) => id.startsWith(start))
    .flatMap(statementsOf);

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
    const { Rules } = bucket.Properties.LifecycleConfiguration as { readonly Rules: readonly object[] };
    const expired = [
      ...['vehicles/acme/', 'vehicles/acme-changes/', 'compliance/'].map((Prefix) => ({
        Prefix,
        ExpirationInDays: 30,
      })),
      { Prefix: 'reports/', ExpirationInDays: 90 },
    ];
    expect(Rules).toHaveLength(expired.length);
    expect(Rules).toMatchObject(
      expired.map((rule) => ({ ...rule, NoncurrentVersionExpiration: { NoncurrentDays: 1 } })),
    );
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

  const writing = ['BatchGetItem', 'DeleteItem', 'PutItem', 'Scan'].map((action) => `dynamodb:${action}`);
  const metrics = { StringEquals: { 'cloudwatch:namespace': 'VehicleVerification/prod' } };

  it('gives all builds one role, with no more permissions than they need, which only CodeBuild of this account gets', () => {
    const assets = 'arn:aws:s3:::cdk-hnb659fds-assets-123456789012-eu-west-2';
    expect(permissionsIn(statementsIn(LOADS, 'AWS::IAM::Role', 'IntakeRole'))).toEqual(
      [
        `${STACK_ARN} cloudformation:DescribeStacks`,
        `* cloudwatch:PutMetricData if ${JSON.stringify(metrics)}`,
        ...writing.flatMap((action) => [`compliance ${action}`, `vehicles ${action}`]),
        ...['IntakeLogs logs:CreateLogStream', 'IntakeLogs logs:PutLogEvents'],
        ...[`${assets} s3:GetBucketAcl`, `${assets} s3:GetBucketLocation`],
        // Of any deployment: one that a running or waiting build was started by may be the one before.
        ...[`${assets}/*.zip s3:GetObject`, `${assets}/*.zip s3:GetObjectVersion`],
        ...['IntakeBucket/* s3:GetObject', 'IntakeBucket/* s3:GetObjectVersion'],
        ...['IntakeBucket s3:ListBucket', 'IntakeBucket s3:ListBucketVersions'],
        ...['IntakeBucket/control/loaded/* s3:PutObject', 'IntakeBucket/reports/* s3:PutObject'],
        'AlarmsTopic sns:Publish',
      ].sort(),
    );
    const [role] = resourcesOf(LOADS, 'AWS::IAM::Role').filter(({ id }) => id.startsWith('IntakeRole'));
    expect(role?.Properties.AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        {
          Principal: { Service: 'codebuild.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': '123456789012' } },
        },
      ],
    });
  });

  it('keeps every permission of a running build when entries, tables or the program change', () => {
    const withoutTopic = (template: Template) =>
      statementsIn(template, 'AWS::IAM::Role', 'IntakeRole').filter(({ Action }) => Action !== 'sns:Publish');
    expect(withoutTopic(OTHER_LOADS)).toEqual(withoutTopic(LOADS));
    // On a named table, which a later deployment may take away, in a resource that is deleted last.
    expect(statementsIn(OTHER_LOADS, 'AWS::IAM::Policy', 'IntakeRole')).toMatchObject([{ Action: writing }]);
  });

  it('lets whom an entry names put files under its prefix and get their reports, by the bucket’s policy', () => {
    const supplier = { AWS: 'arn:aws:iam::210987654321:role/acme' };
    const permitted = statementsIn(LOADS, 'AWS::S3::BucketPolicy', 'Intake').filter(({ Effect }) => Effect === 'Allow');
    for (const { Principal } of permitted) expect(Principal).toEqual(supplier);
    expect(permissionsIn(permitted)).toEqual([
      `IntakeBucket s3:ListBucket if ${JSON.stringify({ StringLike: { 's3:prefix': 'reports/vehicles/acme/*' } })}`,
      'IntakeBucket/reports/vehicles/acme/* s3:GetObject',
      'IntakeBucket/vehicles/acme/* s3:AbortMultipartUpload',
      'IntakeBucket/vehicles/acme/* s3:PutObject',
    ]);
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
    const publish = statementsIn(template, 'AWS::IAM::Role', 'IntakeRole').filter(
      ({ Action }) => Action === 'sns:Publish',
    );
    expect(publish.map(({ Resource }) => Resource)).toEqual([topic]);
  });
});

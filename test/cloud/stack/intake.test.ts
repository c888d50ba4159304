import { describe, expect, it } from '@jest/globals';
import {
  LOADS,
  LOOKUPS,
  OTHER_LOADS,
  PROD,
  permissionsIn,
  resourcesOf,
  statementsOf,
  type Template,
} from './templates.ts';

const ofIntake = (template: Template, type: string, start = 'Intake') =>
  resourcesOf(template, type).filter(({ id }) => id.startsWith(start));
const [bucket] = ofIntake(LOADS, 'AWS::S3::Bucket');
const projects = ofIntake(LOADS, 'AWS::CodeBuild::Project');
const rules = ofIntake(LOADS, 'AWS::Events::Rule');
const STACK = 'vehicle-verification-prod';

const statementsOfBuilds = (template: Template) =>
  ofIntake(template, 'AWS::IAM::Role', 'IntakeRole').flatMap(statementsOf);

describe('A stage with intake', () => {
  it('has every resource of the stage without it, and changes lookups, policies and the dashboard only', () => {
    // Lookups know which suppliers are expected (functions.test.ts). A changed function has another version.
    const isVersion = (id: string) => new RegExp(`^(${LOOKUPS.join('|')})FunctionCurrentVersion`).test(id);
    const changed = Object.keys(PROD.Resources).filter(
      (id) => !isVersion(id) && JSON.stringify(PROD.Resources[id]) !== JSON.stringify(LOADS.Resources[id]),
    );
    // Operators may handle its files (operator-policies.test.ts).
    expect(changed.map((id) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
      ...['Dashboard', 'LoadOperatorsPolicy', 'OperatorsPolicy'],
      ...LOOKUPS.flatMap((name) => [`${name}Function`, `${name}Live`]),
    ]);
  });

  it('keeps the bucket where tables are kept: encrypted, with versions, without public access; and whatever is in it expires', () => {
    const rule = (ExpirationInDays: number) => ({
      ExpirationInDays,
      NoncurrentVersionExpiration: { NoncurrentDays: 1 },
    });
    const files = ['vehicles/acme/', 'vehicles/acme-changes/', 'compliance/'].map((Prefix) => ({
      ...rule(30),
      Prefix,
    }));
    expect(bucket).toMatchObject({
      // Not after a deployment that fails, because nobody would use the bucket that it leaves.
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: {
        BucketEncryption: { ServerSideEncryptionConfiguration: [expect.anything()] },
        NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, BlockPublicPolicy: true, RestrictPublicBuckets: true },
        VersioningConfiguration: { Status: 'Enabled' },
        // The last rule has no prefix: files of a former supplier expire too.
        LifecycleConfiguration: { Rules: [...files, { ...rule(14), Prefix: 'changes/' }, rule(90)] },
      },
    });
  });

  it('has a project for each kind and supplier, which runs one build of the CLI at a time', () => {
    const commands = projects.map(({ Properties: { ConcurrentBuildLimit, Source } }) => {
      expect(ConcurrentBuildLimit).toBe(1);
      return JSON.parse((Source as { readonly BuildSpec: string }).BuildSpec).phases.build.commands;
    });
    expect(commands).toEqual(
      ['vehicles --supplier acme', 'compliance'].map((whose) => [
        `node --disable-warning=ExperimentalWarning index.mjs intake ${whose} --in-build --stack ${STACK} --yes ${STACK} --json`,
      ]),
    );
  });

  it('starts a project when a file is put under its prefixes and every six hours at a minute of its own, without retries, and once the probe is there', () => {
    const pattern = (...prefixes: readonly string[]) => ({
      'detail-type': ['Object Created'],
      detail: { bucket: { name: [{ Ref: bucket?.id }] }, object: { key: prefixes.map((prefix) => ({ prefix })) } },
    });
    const starting = (prefixes: readonly string[], ScheduleExpression: string, nth: number) => ({
      Properties: {
        EventPattern: pattern(...prefixes),
        ScheduleExpression,
        Targets: [{ Arn: { 'Fn::GetAtt': [projects[nth]?.id, 'Arn'] }, RetryPolicy: { MaximumRetryAttempts: 0 } }],
      },
      // Builds read the outputs of a whole stack.
      DependsOn: expect.arrayContaining([expect.stringMatching(/^ProbeFunction/)]),
    });
    expect(rules).toMatchObject([
      starting(['vehicles/acme/', 'vehicles/acme-changes/'], 'cron(0 0/6 * * ? *)', 0),
      starting(['compliance/'], 'cron(18 0/6 * * ? *)', 1),
    ]);
  });

  it('lets nobody but EventBridge start a build, whose overrides could run any program with its role', () => {
    const starters = Object.values(LOADS.Resources)
      .filter(({ Type }) => /^AWS::IAM::(Role|Policy|ManagedPolicy)$/.test(Type))
      .filter((resource) => /"codebuild:(StartBuild|\*)/.test(JSON.stringify(resource)));
    const [starter] = ofIntake(LOADS, 'AWS::IAM::Role', 'IntakeStartRole');
    expect(starters.map(({ Properties }) => Properties.Roles)).toEqual([[{ Ref: starter?.id }]]);
  });

  const writing = ['BatchGetItem', 'DeleteItem', 'PutItem', 'Scan'].map((action) => `dynamodb:${action}`);
  /** A file that is limited to the stored vehicles asks for the size of their table. */
  const describing = 'dynamodb:DescribeTable';
  const metrics = { StringEquals: { 'cloudwatch:namespace': 'VehicleVerification/prod/Intake' } };

  it('gives all builds one role, with no more permissions than they need', () => {
    const assets = 'arn:aws:s3:::cdk-hnb659fds-assets-123456789012-eu-west-2';
    expect(permissionsIn(statementsOfBuilds(LOADS))).toEqual(
      [
        `arn:aws:cloudformation:eu-west-2:123456789012:stack/${STACK}/* cloudformation:DescribeStacks`,
        `* cloudwatch:PutMetricData if ${JSON.stringify(metrics)}`,
        ...writing.flatMap((action) => [`compliance ${action}`, `vehicles ${action}`]),
        `vehicles ${describing}`,
        ...['IntakeLogs logs:CreateLogStream', 'IntakeLogs logs:PutLogEvents'],
        ...[`${assets} s3:GetBucketAcl`, `${assets} s3:GetBucketLocation`],
        // Of any deployment: one that a running or waiting build was started by may be the one before.
        ...[`${assets}/*.zip s3:GetObject`, `${assets}/*.zip s3:GetObjectVersion`],
        ...['IntakeBucket/* s3:GetObject', 'IntakeBucket/* s3:GetObjectVersion'],
        ...['IntakeBucket s3:ListBucket', 'IntakeBucket s3:ListBucketVersions'],
        ...['changes', 'control/loaded', 'reports'].map((folder) => `IntakeBucket/${folder}/* s3:PutObject`),
        'AlarmsTopic sns:Publish',
        'usage dynamodb:UpdateItem',
      ].sort(),
    );
  });

  it('keeps every permission of a running build when entries, tables or the program change', () => {
    const withoutTopic = (template: Template) =>
      statementsOfBuilds(template).filter(({ Action }) => Action !== 'sns:Publish');
    expect(withoutTopic(OTHER_LOADS)).toEqual(withoutTopic(LOADS));
    // On a named table, which a later deployment may take away, in a resource that is deleted last.
    const named = ofIntake(OTHER_LOADS, 'AWS::IAM::Policy', 'IntakeRole');
    expect(named.flatMap(statementsOf)).toMatchObject([{ Action: [...writing, describing].toSorted() }]);
  });

  it('lets whom an entry names put files under its prefix and get their reports, also a role that is deleted and made again', () => {
    const permitted = ofIntake(LOADS, 'AWS::S3::BucketPolicy')
      .flatMap(statementsOf)
      .filter(({ Effect }) => Effect === 'Allow');
    // Not the role itself: one that is gone would stop each deployment.
    for (const { Principal } of permitted) {
      expect(JSON.stringify(Principal)).toMatch(/^\{"AWS":.*:iam::210987654321:root"/);
    }
    const isRole = { ArnEquals: { 'aws:PrincipalArn': 'arn:aws:iam::210987654321:role/acme' } };
    const role = ` if ${JSON.stringify(isRole)}`;
    const list = { ...isRole, StringLike: { 's3:prefix': 'reports/vehicles/acme/*' } };
    expect(permissionsIn(permitted)).toEqual([
      `IntakeBucket s3:ListBucket if ${JSON.stringify(list)}`,
      `IntakeBucket/reports/vehicles/acme/* s3:GetObject${role}`,
      `IntakeBucket/vehicles/acme/* s3:AbortMultipartUpload${role}`,
      `IntakeBucket/vehicles/acme/* s3:PutObject${role}`,
    ]);
  });

  it.each([
    [LOADS, { Ref: expect.stringMatching(/^AlarmsTopic/) }],
    [OTHER_LOADS, 'arn:aws:sns:eu-west-2:123456789012:on-call'],
  ])('tells of refused files by its own topic, or by the other one where there is no mail: %#', (template, topic) => {
    const publish = statementsOfBuilds(template).filter(({ Action }) => Action === 'sns:Publish');
    expect(publish.map(({ Resource }) => Resource)).toEqual([topic]);
  });
});

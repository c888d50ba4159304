import { type Duration, Stack, Validations } from 'aws-cdk-lib';
import { CfnProject } from 'aws-cdk-lib/aws-codebuild';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { Construct } from 'constructs';
import type { IntakeSource } from '../core/stage/stage-schema.ts';
import { tables as descriptions, type TableId } from '../core/tables.ts';
import { acknowledgeWildcards } from './intake-bucket.ts';
import { logGroupProps } from './log-group.ts';
import { LOAD_ACTIONS } from './operator-policy.ts';
import { acknowledgeMetrics, allow, allowMetrics } from './permissions.ts';
import { metricsNamespace } from './service-metrics.ts';
import { allowTable, type ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

export interface IntakeBuildProps {
  readonly settings: StageSettings;
  readonly entries: readonly IntakeSource[];
  /** The folder of its bundle. */
  readonly program: string;
  readonly bucket: Bucket;
  readonly tables: ServiceTables;
  readonly timeout: Duration;
}

/** Node 24 (aws/aws-codebuild-docker-images, al/aarch64/standard/4.0/runtimes.yml), 2 vCPU, 4 GB, 50 GB of disk. */
const BUILD_IMAGE = {
  type: 'ARM_CONTAINER',
  computeType: 'BUILD_GENERAL1_SMALL',
  image: 'aws/codebuild/amazonlinux-aarch64-standard:4.0',
};
const BUILD_STEPS = {
  version: 0.2,
  phases: {
    install: { 'runtime-versions': { nodejs: 24 } },
    build: { commands: ['node --disable-warning=ExperimentalWarning index.mjs'] },
  },
};

const LOADED_TABLES = ['vehicles', 'compliance'] as const satisfies readonly TableId[];

/** The keys that a load writes. */
const WRITTEN = ['reports/*', 'control/loaded/*'];

/** Adds the CodeBuild project that runs bin/intake.ts, one build at a time. */
export const addIntakeBuild = (scope: Construct, props: IntakeBuildProps): CfnProject => {
  const { settings, entries, bucket, tables, timeout } = props;
  const { stackName } = Stack.of(scope);
  const program = new Asset(scope, 'Program', { path: props.program });
  const logGroup = new LogGroup(scope, 'Logs', logGroupProps(settings));
  const role = addRole(scope, props, program, logGroup);
  const environment = {
    STACK: stackName,
    // Whoever deploys this setting confirms the imports.
    CONFIRMED_STACK: stackName,
    METRICS_NAMESPACE: metricsNamespace(settings.stage),
    INTAKE_BUCKET: bucket.bucketName,
    INTAKE: JSON.stringify(entries),
    ...Object.fromEntries(LOADED_TABLES.map((id) => [descriptions[id].environmentVariable, tables.byId[id].tableName])),
  };
  const project = new CfnProject(scope, 'Loads', {
    description: `Loads the files that wait in the bucket of ${stackName}`,
    serviceRole: role.roleArn,
    source: {
      type: 'S3',
      location: `${program.s3BucketName}/${program.s3ObjectKey}`,
      buildSpec: JSON.stringify(BUILD_STEPS),
    },
    artifacts: { type: 'NO_ARTIFACTS' },
    environment: {
      ...BUILD_IMAGE,
      environmentVariables: Object.entries(environment).map(([name, value]) => ({ name, value })),
    },
    timeoutInMinutes: timeout.toMinutes(),
    queuedTimeoutInMinutes: timeout.toMinutes(),
    concurrentBuildLimit: 1,
    logsConfig: { cloudWatchLogs: { status: 'ENABLED', groupName: logGroup.logGroupName } },
  });
  const reason = 'A build leaves nothing that is encrypted.';
  Validations.of(project).acknowledge({ id: 'AwsSolutions-CB4', reason });
  return project;
};

const addRole = (
  scope: Construct,
  { settings, bucket, tables }: IntakeBuildProps,
  program: Asset,
  logGroup: LogGroup,
): Role => {
  const statements = [
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]),
    allow(['s3:GetObject', 's3:GetObjectVersion'], [program.bucket.arnForObjects(program.s3ObjectKey)]),
    allow(['s3:GetBucketAcl', 's3:GetBucketLocation'], [program.bucket.bucketArn]),
    // Without `ListBucket` a missing object is an `AccessDenied`.
    allow(['s3:ListBucket', 's3:ListBucketVersions'], [bucket.bucketArn]),
    allow(['s3:GetObject', 's3:GetObjectVersion'], [bucket.arnForObjects('*')]),
    allow(
      ['s3:PutObject'],
      WRITTEN.map((keys) => bucket.arnForObjects(keys)),
    ),
    ...LOADED_TABLES.map((id) => allowTable(tables.byId[id], LOAD_ACTIONS[id])),
    allowMetrics(settings.stage),
  ];
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('codebuild.amazonaws.com'),
    inlinePolicies: { Access: new PolicyDocument({ statements }) },
  });
  acknowledgeWildcards(role, bucket, ['*', ...WRITTEN]);
  acknowledgeMetrics(role);
  return role;
};

import { Duration, Stack } from 'aws-cdk-lib';
import { CfnProject } from 'aws-cdk-lib/aws-codebuild';
import { PolicyDocument, type PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { Construct } from 'constructs';
import { buildName, type IntakeEntry } from '../core/stage/intake-entry.ts';
import { logGroupProps } from './log-group.ts';
import { LOAD_ACTIONS } from './operator-policy.ts';
import { allow, allowMetrics, allowOutputs, serviceOfAccount } from './permissions.ts';
import type { ServiceTables, TableGrants } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

/** The project that loads the files of one build. */
export interface IntakeProject {
  /** The kind and, with a hyphen, the supplier: `vehicles-acme`. */
  readonly name: string;
  readonly entries: readonly IntakeEntry[];
  readonly project: CfnProject;
}

interface IntakeProjectsProps {
  readonly settings: StageSettings;
  readonly entries: readonly IntakeEntry[];
  readonly program: string;
  readonly tables: ServiceTables;
  /** The permissions that the program needs besides those on tables. */
  readonly statements: readonly PolicyStatement[];
}

/** The most that CodeBuild permits. A scan of 40 million records takes 15 minutes alone, and 6 hours among 20. */
const TIMEOUT = Duration.hours(36);
const TIME_IN_QUEUE = Duration.hours(8);

/** Images with Node 24 (aws/aws-codebuild-docker-images, al/…/runtimes.yml); 2 vCPU, 4 GB of memory, 50 GB of disk. */
const MACHINES = {
  arm64: { type: 'ARM_CONTAINER', image: 'aws/codebuild/amazonlinux-aarch64-standard:4.0' },
  x86_64: { type: 'LINUX_CONTAINER', image: 'aws/codebuild/amazonlinux-x86_64-standard:6.0' },
} as const;

/**
 * Adds a project for each kind and supplier (`buildName`), which runs one build at a time. They share program, log and
 * role.
 */
export const intakeProjects = (scope: Construct, props: IntakeProjectsProps): IntakeProject[] => {
  const { settings, entries } = props;
  const { stackName } = Stack.of(scope);
  const program = new Asset(scope, 'Program', { path: props.program });
  const logGroup = new LogGroup(scope, 'Logs', logGroupProps(settings));
  const role = addRole(scope, props, program, logGroup);
  return Object.entries(Object.groupBy(entries, (entry) => buildName(entry, entries))).map(([name, own = []]) => {
    const project = new CfnProject(scope, name, {
      description: `Loads the files of ${name} that wait in the bucket of ${stackName}`,
      serviceRole: role.roleArn,
      source: {
        type: 'S3',
        location: `${program.s3BucketName}/${program.s3ObjectKey}`,
        buildSpec: JSON.stringify(buildSpec(own[0], stackName)),
      },
      artifacts: { type: 'NO_ARTIFACTS' },
      environment: { ...MACHINES[settings.architecture], computeType: 'BUILD_GENERAL1_SMALL' },
      timeoutInMinutes: TIMEOUT.toMinutes(),
      queuedTimeoutInMinutes: TIME_IN_QUEUE.toMinutes(),
      concurrentBuildLimit: 1,
      logsConfig: { cloudWatchLogs: { status: 'ENABLED', groupName: logGroup.logGroupName, streamName: name } },
    });
    return { name, entries: own, project };
  });
};

/** The commands of one build. A refused file does not fail it: a message reports it. */
const buildSpec = (entry: IntakeEntry | undefined, stackName: string): object => {
  const supplier = entry?.supplier === undefined ? '' : ` --supplier ${entry.supplier}`;
  // Whoever deploys the setting confirms the imports.
  const command = `intake ${entry?.import}${supplier} --in-build --stack ${stackName} --yes ${stackName} --json`;
  return {
    version: 0.2,
    phases: {
      install: { 'runtime-versions': { nodejs: 24 } },
      build: { commands: [`node --disable-warning=ExperimentalWarning index.mjs ${command}`] },
    },
  };
};

/**
 * Adds the role of the builds. No permission depends on the entries or the program, so that a deployment takes no
 * permission from a running build.
 */
const addRole = (
  scope: Construct,
  { settings, tables, statements }: IntakeProjectsProps,
  { bucket }: Asset,
  logGroup: LogGroup,
): Role => {
  const { vehicles, compliance } = LOAD_ACTIONS;
  const actions = { vehicles, compliance, usage: ['UpdateItem'] } satisfies TableGrants;
  const access = [
    ...statements,
    ...tables.statements(actions),
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]),
    allow(['s3:GetObject', 's3:GetObjectVersion'], [bucket.arnForObjects('*.zip')]),
    allow(['s3:GetBucketAcl', 's3:GetBucketLocation'], [bucket.bucketArn]),
    allowOutputs(Stack.of(scope)),
    allowMetrics(settings.stage, 'Intake'),
  ];
  const role = new Role(scope, 'Role', {
    assumedBy: serviceOfAccount(scope, 'codebuild.amazonaws.com'),
    inlinePolicies: { Access: new PolicyDocument({ statements: access }) },
  });
  tables.permitNamed(role, actions);
  return role;
};

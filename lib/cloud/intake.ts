import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnProject } from 'aws-cdk-lib/aws-codebuild';
import { type EventPattern, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { ManagedPolicy, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, type LifecycleRule } from 'aws-cdk-lib/aws-s3';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { tables as descriptions, type TableId } from '../../core/tables.ts';
import { bundledFunction } from './bundled-function.ts';
import type { IntakeBundles } from './intake-bundles.ts';
import { logGroupProps } from './log-group.ts';
import { LOAD_ACTIONS } from './operator-policy.ts';
import { INTAKE_BUCKET_OUTPUT, intakePolicyOutput } from './outputs.ts';
import { metricsNamespace } from './service-metrics.ts';
import type { ServiceTables } from './service-tables.ts';
import type { IntakeEntry } from './stage-schema.ts';
import type { StageSettings } from './stage-settings.ts';

export interface IntakeProps {
  readonly settings: StageSettings;
  readonly entries: readonly IntakeEntry[];
  readonly bundles: IntakeBundles;
  readonly tables: ServiceTables;
}

const HOUR = Duration.hours(1);
/** Days. A load does not begin with a file that is a day from its end (lib/intake/waiting-files.ts). */
const FILES_EXPIRE = 30;
const REPORTS_EXPIRE = 90;

/** An import of 40 million rows takes less. */
const BUILD_TIMEOUT = Duration.hours(8);
/**
 * A wake waits for a build that is queued and then runs for as long as it may: 200 attempts, 5 minutes apart, take 16 hours and
 * 40 minutes, more than twice the timeout.
 */
const WAKE_AGAIN_AFTER = Duration.minutes(5);
const MAX_WAKES = 200;
/** A wake starts one build for all the messages that it finds. */
const MESSAGES = 10;

/** Its own Node 24 (aws/aws-codebuild-docker-images, al/aarch64/standard/4.0/runtimes.yml). 2 vCPU, 4 GB, 50 GB of disk. */
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

/**
 * Files that load themselves:
 *
 *     bucket → Object Created ─┐
 *              every hour ─────┴→ queue → starter → CodeBuild: bin/intake.ts → tables, reports in the bucket
 *
 * A message only wakes the build, which lists what waits. One build runs at a time.
 */
export class Intake extends Construct {
  /** Builds that failed and wakes that were given up. */
  readonly failures: IMetric;

  constructor(scope: Construct, id: string, { settings, entries, bundles, tables }: IntakeProps) {
    super(scope, id);
    const bucket = this.addBucket(settings, entries);
    const project = this.addProject(settings, entries, bundles.program, bucket, tables);
    const dead = new Queue(this, 'LostWakes', { ...QUEUE, retentionPeriod: Duration.days(14) });
    Validations.of(dead).acknowledge({ id: 'Serverless-SQSRedrivePolicy', reason: 'It is the last queue.' });
    const queue = new Queue(this, 'Wakes', {
      ...QUEUE,
      contentBasedDeduplication: true,
      visibilityTimeout: WAKE_AGAIN_AFTER,
      deadLetterQueue: { queue: dead, maxReceiveCount: MAX_WAKES },
    });
    this.addRules(queue, bucket, entries);
    this.addStarter(settings, bundles.starter, queue, project);
    this.addPolicies(bucket, entries);
    const sum = { statistic: 'Sum', period: HOUR };
    this.failures = new MathExpression({
      // Unlike `+`, SUM has a value where only one of them has data.
      expression: 'SUM([FILL(failed, 0), FILL(lost, 0)])',
      usingMetrics: {
        failed: new Metric({
          namespace: 'AWS/CodeBuild',
          metricName: 'FailedBuilds',
          dimensionsMap: { ProjectName: project.ref },
          ...sum,
        }),
        lost: dead.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: HOUR }),
      },
      label: 'Failed builds and lost wakes',
      period: HOUR,
    });
  }

  private addBucket({ keepsData }: StageSettings, entries: readonly IntakeEntry[]): Bucket {
    const rule = (prefix: string, days: number): LifecycleRule => ({
      prefix,
      expiration: Duration.days(days),
      noncurrentVersionExpiration: Duration.days(1),
      abortIncompleteMultipartUploadAfter: Duration.days(1),
    });
    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      versioned: true,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      lifecycleRules: [...entries.map(({ prefix }) => rule(prefix, FILES_EXPIRE)), rule('reports/', REPORTS_EXPIRE)],
    });
    // `eventBridgeEnabled` of the construct would add a function of the CDK's own.
    (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    };
    const reason =
      'Each load has a report with the file’s name and version; who put it is in CloudTrail, if the account has it.';
    Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason });
    new CfnOutput(Stack.of(this), INTAKE_BUCKET_OUTPUT, { value: bucket.bucketName });
    return bucket;
  }

  private addProject(
    settings: StageSettings,
    entries: readonly IntakeEntry[],
    bundle: string,
    bucket: Bucket,
    tables: ServiceTables,
  ): CfnProject {
    const { stackName } = Stack.of(this);
    const program = new Asset(this, 'Program', { path: bundle });
    const logGroup = new LogGroup(this, 'Logs', logGroupProps(settings));
    const namespace = metricsNamespace(settings.stage);
    const allow = (actions: string[], ...resources: string[]) => new PolicyStatement({ actions, resources });
    const written = ['reports/*', 'control/loaded/*'];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codebuild.amazonaws.com'),
      inlinePolicies: {
        Access: new PolicyDocument({
          statements: [
            allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn),
            allow(['s3:GetObject', 's3:GetObjectVersion'], program.bucket.arnForObjects(program.s3ObjectKey)),
            allow(['s3:GetBucketAcl', 's3:GetBucketLocation'], program.bucket.bucketArn),
            // Without `ListBucket` a missing object is an `AccessDenied`.
            allow(['s3:ListBucket', 's3:ListBucketVersions'], bucket.bucketArn),
            allow(['s3:GetObject', 's3:GetObjectVersion'], bucket.arnForObjects('*')),
            allow(['s3:PutObject'], ...written.map((keys) => bucket.arnForObjects(keys))),
            ...LOADED_TABLES.map((id) =>
              allow(
                LOAD_ACTIONS[id].map((name) => `dynamodb:${name}`),
                tables.byId[id].tableArn,
              ),
            ),
            new PolicyStatement({
              actions: ['cloudwatch:PutMetricData'],
              resources: ['*'],
              conditions: { StringEquals: { 'cloudwatch:namespace': namespace } },
            }),
          ],
        }),
      },
    });
    acknowledgeKeys(role, bucket, ['*', ...written]);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Metrics are no resources; the condition limits the action to the namespace of this stage.',
    });
    const environment = {
      STACK: stackName,
      // Whoever deploys this setting confirms the imports.
      CONFIRMED_STACK: stackName,
      METRICS_NAMESPACE: namespace,
      INTAKE_BUCKET: bucket.bucketName,
      INTAKE: JSON.stringify(entries),
      ...Object.fromEntries(
        LOADED_TABLES.map((id) => [descriptions[id].environmentVariable, tables.byId[id].tableName]),
      ),
    };
    const project = new CfnProject(this, 'Loads', {
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
      timeoutInMinutes: BUILD_TIMEOUT.toMinutes(),
      queuedTimeoutInMinutes: BUILD_TIMEOUT.toMinutes(),
      concurrentBuildLimit: 1,
      logsConfig: { cloudWatchLogs: { status: 'ENABLED', groupName: logGroup.logGroupName } },
    });
    Validations.of(project).acknowledge({
      id: 'AwsSolutions-CB4',
      reason: 'A build leaves nothing that is encrypted.',
    });
    return project;
  }

  private addRules(queue: Queue, bucket: Bucket, entries: readonly IntakeEntry[]): void {
    const eventPattern: EventPattern = {
      source: ['aws.s3'],
      detailType: ['Object Created'],
      detail: { bucket: { name: [bucket.bucketName] }, object: { key: entries.map(({ prefix }) => ({ prefix })) } },
    };
    const rules = [
      new Rule(this, 'FileCreated', { eventPattern }),
      // For files of which no event came, and loads that failed.
      new Rule(this, 'EveryHour', { schedule: Schedule.rate(HOUR) }),
    ];
    for (const rule of rules) {
      rule.addTarget(new SqsQueue(queue, { messageGroupId: 'wakes' }));
      const reason = 'A wake that is lost comes again within the hour.';
      Validations.of(rule).acknowledge({ id: 'Serverless-EventBusDLQ', reason });
    }
  }

  private addStarter(settings: StageSettings, bundle: string, queue: Queue, project: CfnProject): void {
    const scope = new Construct(this, 'Starter');
    const lambda = bundledFunction(scope, {
      settings,
      bundle,
      statements: [
        new PolicyStatement({ actions: ['codebuild:StartBuild'], resources: [project.attrArn] }),
        new PolicyStatement({
          actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
          resources: [queue.queueArn],
        }),
      ],
      description: 'Starts the build that loads waiting files; fails while one runs',
      memorySize: 128,
      timeout: Duration.seconds(30),
      environment: { INTAKE_PROJECT: project.ref },
    });
    new EventSourceMapping(scope, 'Messages', {
      target: lambda,
      eventSourceArn: queue.queueArn,
      batchSize: MESSAGES,
    });
    const reason = 'SQS delivers the messages again, and moves those that it gives up to a queue with an alarm.';
    Validations.of(scope).acknowledge(
      { id: 'Serverless-LambdaDLQ', reason },
      { id: 'Serverless-LambdaEventSourceMappingDestination', reason },
      { id: 'Serverless-LambdaTracing', reason: 'It sends one request.' },
    );
  }

  /** A policy for whoever puts files under a prefix. It is attached to nobody. */
  private addPolicies(bucket: Bucket, entries: readonly IntakeEntry[]): void {
    const { stackName } = Stack.of(this);
    for (const { prefix } of entries) {
      const output = intakePolicyOutput(prefix);
      const [files, reports] = [`${prefix}*`, `reports/${prefix}*`];
      const policy = new ManagedPolicy(this, output, {
        description: `Puts files under ${prefix} for ${stackName}, and gets their reports`,
        statements: [
          new PolicyStatement({
            actions: ['s3:PutObject', 's3:AbortMultipartUpload'],
            resources: [bucket.arnForObjects(files)],
          }),
          new PolicyStatement({ actions: ['s3:GetObject'], resources: [bucket.arnForObjects(reports)] }),
          new PolicyStatement({
            actions: ['s3:ListBucket'],
            resources: [bucket.bucketArn],
            conditions: { StringLike: { 's3:prefix': reports } },
          }),
        ],
      });
      acknowledgeKeys(policy, bucket, [files, reports]);
      new CfnOutput(Stack.of(this), output, { value: policy.managedPolicyArn });
    }
  }
}

const QUEUE = { fifo: true, encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true } as const;

/** Permissions of objects whose names are not known before. */
const acknowledgeKeys = (construct: Construct, bucket: Bucket, keys: readonly string[]): void => {
  const id = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnBucket);
  const reason = 'Names of files and reports are not known before.';
  for (const key of keys) {
    Validations.of(construct).acknowledge({ id: `AwsSolutions-IAM5[Resource::<${id}.Arn>/${key}]`, reason });
  }
};

import { Duration, Validations } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnProject } from 'aws-cdk-lib/aws-codebuild';
import { type EventPattern, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { bundledFunction } from './bundled-function.ts';
import type { IntakeBundles } from './bundles.ts';
import { addIntakeBucket, addIntakePolicies } from './intake-bucket.ts';
import { addIntakeBuild, type IntakeBuildProps } from './intake-build.ts';
import { allow } from './permissions.ts';
import type { StageSettings } from './stage-settings.ts';

interface IntakeProps extends Pick<IntakeBuildProps, 'settings' | 'entries' | 'tables'> {
  readonly bundles: IntakeBundles;
}

const HOUR = Duration.hours(1);
const QUEUE = { fifo: true, encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true } as const;

/** An import of 40 million rows takes less. */
const BUILD_TIMEOUT = Duration.hours(8);
/**
 * 200 attempts, 5 minutes apart, take 16 hours and 40 minutes: longer than a build may be queued and then run, which is
 * twice the timeout.
 */
const RETRY_AFTER = Duration.minutes(5);
const MAX_ATTEMPTS = 200;
/** Messages for which the starter starts one build. */
const BATCH_SIZE = 10;

/**
 * Files that load themselves:
 *
 *     bucket → Object Created ─┐
 *              every hour ─────┴→ queue → starter → CodeBuild: bin/intake.ts → tables, reports in the bucket
 *
 * A message only wakes the build, which lists what waits. One build runs at a time.
 */
export class Intake extends Construct {
  readonly bucket: Bucket;
  /** Builds that failed, and messages that were given up. */
  readonly failures: IMetric;

  constructor(scope: Construct, id: string, { settings, entries, bundles, tables }: IntakeProps) {
    super(scope, id);
    const prefixes = entries.map(({ prefix }) => prefix);
    this.bucket = addIntakeBucket(this, prefixes, settings.keepsData);
    const { bucket } = this;
    const { program, starter } = bundles;
    const project = addIntakeBuild(this, { settings, entries, program, bucket, tables, timeout: BUILD_TIMEOUT });
    const dead = new Queue(this, 'LostWakes', { ...QUEUE, retentionPeriod: Duration.days(14) });
    Validations.of(dead).acknowledge({ id: 'Serverless-SQSRedrivePolicy', reason: 'It is the last queue.' });
    const queue = new Queue(this, 'Wakes', {
      ...QUEUE,
      contentBasedDeduplication: true,
      visibilityTimeout: RETRY_AFTER,
      deadLetterQueue: { queue: dead, maxReceiveCount: MAX_ATTEMPTS },
    });
    this.addRules(queue, {
      source: ['aws.s3'],
      detailType: ['Object Created'],
      detail: { bucket: { name: [bucket.bucketName] }, object: { key: prefixes.map((prefix) => ({ prefix })) } },
    });
    this.addStarter(settings, starter, queue, project);
    addIntakePolicies(this, prefixes, bucket);
    this.failures = new MathExpression({
      // Unlike `+`, SUM has a value where only one of them has data.
      expression: 'SUM([FILL(failed, 0), FILL(lost, 0)])',
      usingMetrics: {
        failed: new Metric({
          namespace: 'AWS/CodeBuild',
          metricName: 'FailedBuilds',
          dimensionsMap: { ProjectName: project.ref },
          statistic: 'Sum',
          period: HOUR,
        }),
        lost: dead.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: HOUR }),
      },
      label: 'Failed builds and lost wakes',
      period: HOUR,
    });
  }

  private addRules(queue: Queue, eventPattern: EventPattern): void {
    const rules = [
      new Rule(this, 'FileCreated', { eventPattern }),
      // For files whose event was lost, and loads that failed.
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
        allow(['codebuild:StartBuild'], [project.attrArn]),
        allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [queue.queueArn]),
      ],
      description: 'Starts the build that loads waiting files; fails while one runs',
      memorySize: 128,
      timeout: Duration.seconds(30),
      environment: { INTAKE_PROJECT: project.ref },
    });
    const messages = { target: lambda, eventSourceArn: queue.queueArn, batchSize: BATCH_SIZE };
    new EventSourceMapping(scope, 'Messages', messages);
    const reason = 'SQS delivers the messages again, and moves those that it gives up to a queue with an alarm.';
    Validations.of(scope).acknowledge(
      { id: 'Serverless-LambdaDLQ', reason },
      { id: 'Serverless-LambdaEventSourceMappingDestination', reason },
      { id: 'Serverless-LambdaTracing', reason: 'It sends one request.' },
    );
  }
}

import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { CodeBuildProject } from 'aws-cdk-lib/aws-events-targets';
import { Role } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { IntakeEntry, IntakeOutput } from '../core/stage/intake-entry.ts';
import { INTAKE_OUTPUT } from '../core/stage/outputs.ts';
import { addIntakeBucket, allowLoads } from './intake-bucket.ts';
import { type IntakeProject, intakeProjects } from './intake-projects.ts';
import { allow, serviceOfAccount } from './permissions.ts';
import type { Probe } from './probe.ts';
import { loadsNamespace } from './service-metrics.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

interface IntakeProps {
  readonly settings: StageSettings;
  readonly entries: readonly IntakeEntry[];
  /** The folder of the bundle of the operators' command line. */
  readonly program: string;
  readonly tables: ServiceTables;
  /** The ARN of the topic that gets a message for each refused file. */
  readonly topicArn: string;
  readonly probe: Probe;
}

const HOURS_BETWEEN_STARTS = 6;
/** Minutes between the scheduled starts of two projects. A stage has at most 20, which then start within six hours. */
const MINUTES_APART = 18;

/**
 * Files that load themselves:
 *
 *     Object Created under a prefix ─┐
 *     every six hours ───────────────┴→ a CodeBuild project for each kind and supplier → `admin intake`
 *
 * A project runs one build at a time. A start that is refused needs no retry: the running build lists until nothing
 * waits, and the schedule comes again.
 */
export class Intake extends Construct {
  readonly bucket: Bucket;
  readonly projects: readonly IntakeProject[];

  constructor(scope: Construct, id: string, { settings, entries, program, tables, topicArn, probe }: IntakeProps) {
    super(scope, id);
    const bucket = addIntakeBucket(this, entries, settings.keepsData);
    this.bucket = bucket;
    const statements = [...allowLoads(bucket), allow(['sns:Publish'], [topicArn])];
    this.projects = intakeProjects(this, { settings, entries, program, tables, statements });
    this.addRules(bucket.bucketName, probe);
    const namespace = loadsNamespace(settings.stage, 'Intake');
    const output = { bucket: bucket.bucketName, topic: topicArn, namespace, entries } satisfies IntakeOutput;
    new CfnOutput(Stack.of(this), INTAKE_OUTPUT, { value: Stack.of(this).toJsonString(output) });
  }

  private addRules(bucket: string, probe: Probe): void {
    const eventRole = new Role(this, 'StartRole', {
      assumedBy: serviceOfAccount(this, 'events.amazonaws.com'),
    });
    for (const [index, { project, entries }] of this.projects.entries()) {
      const minutes = index * MINUTES_APART;
      const object = { key: entries.map(({ prefix }) => ({ prefix })) };
      const rule = new Rule(project, 'Start', {
        eventPattern: {
          source: ['aws.s3'],
          detailType: ['Object Created'],
          detail: { bucket: { name: [bucket] }, object },
        },
        // Loads files whose event came while a build was ending, and files whose load has failed.
        schedule: Schedule.cron({
          minute: String(minutes % 60),
          hour: `${Math.floor(minutes / 60)}/${HOURS_BETWEEN_STARTS}`,
        }),
      });
      rule.addTarget(new CodeBuildProject(project, { eventRole, retryAttempts: 0 }));
      // Builds read the outputs of the stack, and the probe is the last part that a deployment makes or updates.
      rule.node.addDependency(probe);
    }
  }
}

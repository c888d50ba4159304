import { Duration, Validations } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { lambdaArchitecture, logRemovalPolicy } from './endpoint-function.ts';
import type { StageSettings } from './stage-settings.ts';

export interface ProbeProps {
  readonly settings: StageSettings;
  /** The folder of its bundle. */
  readonly bundle: string;
  /** `https://host`, the address that callers use. */
  readonly origin: string;
}

/** The path of the most important endpoint. The probe has no key, so the request reads nothing. */
const PATH = '/v1/vehicle/AB12CDE/insurance';

const MINUTE = Duration.minutes(1);

/** With the CPU share of 128 MB a TLS handshake takes a second. */
const MEMORY_MEGABYTES = 256;

/**
 * A function that requests the service from outside, every minute. It detects an unreachable service, which no other alarm
 * does: without requests their metrics have no data.
 */
export class Probe extends Construct {
  private readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, { settings, bundle, origin }: ProbeProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: settings.logRetentionDays,
      removalPolicy: logRemovalPolicy(settings),
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    this.lambda = new LambdaFunction(this, 'Function', {
      description: 'Requests the service from outside, every minute',
      runtime: Runtime.NODEJS_24_X,
      architecture: lambdaArchitecture(settings),
      memorySize: MEMORY_MEGABYTES,
      timeout: Duration.seconds(10),
      handler: 'index.handler',
      code: Code.fromAsset(bundle),
      role,
      logGroup,
      environment: { PROBED_ADDRESS: `${origin}${PATH}` },
      // The next run is a minute later; the errors of a retry could be counted in that minute.
      retryAttempts: 0,
      maxEventAge: MINUTE,
    });
    const rule = new Rule(this, 'EveryMinute', { schedule: Schedule.rate(MINUTE) });
    rule.addTarget(new LambdaTarget(this.lambda, { retryAttempts: 0, maxEventAge: MINUTE }));
    this.acknowledgeFindings(rule);
  }

  /** Failed probes per minute; no data for a minute without a run. */
  failures(): Metric {
    return this.lambda.metricErrors({ statistic: 'Sum', period: MINUTE });
  }

  private acknowledgeFindings(rule: Rule): void {
    const reason = 'A probe that fails or does not run raises an alarm. There is no event to keep.';
    Validations.of(this.lambda).acknowledge(
      { id: 'Serverless-LambdaDLQ', reason },
      { id: 'Serverless-LambdaAsyncFailureDestination', reason },
      { id: 'Serverless-LambdaTracing', reason: 'It makes one request, whose error it logs.' },
    );
    Validations.of(rule).acknowledge({ id: 'Serverless-EventBusDLQ', reason });
  }
}

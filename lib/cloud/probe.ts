import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { PROBE_ID_PREFIX } from '../../core/access/api-key.ts';
import { tables as descriptions } from '../../core/tables.ts';
import type { FunctionId } from '../endpoint-files.ts';
import { bundledFunction } from './bundled-function.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

export interface ProbeProps {
  readonly settings: StageSettings;
  /** The folder of its bundle. */
  readonly bundle: string;
  /** `https://host`, the address that callers use. */
  readonly origin: string;
  readonly tables: ServiceTables;
  readonly functions: ReadonlyMap<FunctionId, EndpointFunction>;
}

const MINUTE = Duration.minutes(1);

const ORIGIN_VARIABLE = 'PROBED_ORIGIN';

/** With the CPU share of 128 MB a TLS handshake takes a second. */
const MEMORY_MEGABYTES = 256;

/** Seconds: longer than a journey whose every response is late (functions/probe), shorter than the time between two. */
const TIMEOUT_SECONDS = 50;

/**
 * A function that uses every endpoint from outside, every minute, with a key of its own kind. It detects what no other alarm
 * does: a service that cannot be reached, for which their metrics have no data, and one that rejects everybody.
 *
 * It is updated last, so that a new journey is never asked of an old version while the one before watches the rollout. The
 * alarm `Unreachable`, which can stop the rollout, therefore depends on its metric and not on this function.
 */
export class Probe extends Construct {
  private readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, { settings, bundle, origin, tables, functions }: ProbeProps) {
    super(scope, id);
    this.lambda = bundledFunction(this, {
      settings,
      bundle,
      statements: [mayAddProbeKeys(tables)],
      description: 'Uses every endpoint from outside, every minute',
      memorySize: MEMORY_MEGABYTES,
      timeout: Duration.seconds(TIMEOUT_SECONDS),
      environment: {
        [ORIGIN_VARIABLE]: origin,
        [descriptions.keys.environmentVariable]: tables.byId.keys.tableName,
      },
      // The next run is a minute later; the errors of a retry could be counted in that minute.
      retryAttempts: 0,
      maxEventAge: MINUTE,
    });
    for (const { live } of functions.values()) this.lambda.node.addDependency(live);
    const rule = new Rule(this, 'EveryMinute', { schedule: Schedule.rate(MINUTE) });
    rule.addTarget(new LambdaTarget(this.lambda, { retryAttempts: 0, maxEventAge: MINUTE }));
    acknowledgeFindings(this.lambda, rule);
  }

  /** Makes the probe ask another address, `https://host`, that callers use in place of the gateway's. */
  ask(origin: string): void {
    this.lambda.addEnvironment(ORIGIN_VARIABLE, origin);
  }
}

/**
 * Records of the probe's keys only, by the beginning of their ids: a key with such an id sees the sandbox and the probe's own
 * content, whatever its record says. `Null`, because a request without the condition key would pass `ForAllValues`.
 */
const mayAddProbeKeys = (tables: ServiceTables): PolicyStatement =>
  new PolicyStatement({
    actions: ['dynamodb:PutItem'],
    resources: [tables.byId.keys.tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${PROBE_ID_PREFIX}*`] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });

const acknowledgeFindings = (lambda: LambdaFunction, rule: Rule): void => {
  const reason = 'A probe that fails or does not run raises an alarm. There is no event to keep.';
  Validations.of(lambda).acknowledge(
    { id: 'Serverless-LambdaDLQ', reason },
    { id: 'Serverless-LambdaAsyncFailureDestination', reason },
    { id: 'Serverless-LambdaTracing', reason: 'Its log line says which request failed, and how.' },
  );
  Validations.of(rule).acknowledge({ id: 'Serverless-EventBusDLQ', reason });
};

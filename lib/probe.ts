import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { PROBE_ID_PREFIX } from '../core/access/api-key.ts';
import { tableVariable } from '../core/tables.ts';
import type { FunctionId } from '../functions/endpoints/endpoint-files.ts';
import { bundledFunction } from './bundled-function.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import { allow } from './permissions.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

interface ProbeProps {
  readonly settings: StageSettings;
  /** The folder of its bundle. */
  readonly bundle: string;
  /** `https://host`, the address that callers use. */
  readonly origin: string;
  readonly tables: ServiceTables;
  readonly functions: ReadonlyMap<FunctionId, EndpointFunction>;
}

const MINUTE = Duration.minutes(1);

/**
 * A function that uses every endpoint from outside, every minute, with a key of its own kind. It detects two failures
 * that other alarms miss: when nobody reaches the service, their metrics have no data; when the service rejects
 * everybody, they count no error.
 *
 * It is updated last, so that a new smoke test never meets an old version of the service.
 */
export class Probe extends Construct {
  readonly functionArn: string;
  readonly ruleArn: string;

  constructor(scope: Construct, id: string, { settings, bundle, origin, tables, functions }: ProbeProps) {
    super(scope, id);
    const lambda = bundledFunction(this, {
      settings,
      bundle,
      statements: [mayPutProbeKeys(tables)],
      description: 'Uses every endpoint from outside, every minute',
      // With the CPU share of 128 MB a TLS handshake takes a second.
      memorySize: 256,
      // Longer than a smoke test whose every response is late (functions/probe), shorter than the time between two.
      timeout: Duration.seconds(50),
      environment: {
        PROBED_ORIGIN: origin,
        [tableVariable('keys')]: tables.byId.keys.tableName,
      },
      // The next run is a minute later; the errors of a retry could be counted in that minute.
      retryAttempts: 0,
      maxEventAge: MINUTE,
    });
    this.functionArn = lambda.functionArn;
    for (const { live } of functions.values()) lambda.node.addDependency(live);
    const rule = new Rule(this, 'EveryMinute', { schedule: Schedule.rate(MINUTE) });
    this.ruleArn = rule.ruleArn;
    rule.addTarget(new LambdaTarget(lambda, { retryAttempts: 0, maxEventAge: MINUTE }));
  }
}

/**
 * Permits only records of probe keys, by the prefix of their ids. Such a key sees the sandbox and the probe's own
 * content, whatever its record says. `ForAllValues` also passes a request without the condition key, so `Null` requires
 * the key.
 */
const mayPutProbeKeys = (tables: ServiceTables) =>
  allow(['dynamodb:PutItem'], [tables.byId.keys.tableArn], {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${PROBE_ID_PREFIX}*`] },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  });

import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Alias, ApplicationLogLevel, type IVersion, LoggingFormat, SystemLogLevel } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type TableId, tables } from '../../core/tables.ts';
import { FUNCTION_TIMEOUT_SECONDS, grantedActions, type ServedEndpoint } from '../../functions/http/endpoint.ts';
import { type BundledFunctionProps, bundledFunction } from './bundled-function.ts';
import { bundleHash } from './bundles.ts';
import type { ServiceTables } from './service-tables.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface EndpointFunctionProps extends Pick<BundledFunctionProps, 'settings' | 'bundle'> {
  /** The description that the console shows. */
  readonly summary: string;
  readonly row: Pick<ServedEndpoint, 'tables' | 'memoryMegabytes' | 'signing' | 'isPublic'>;
  readonly tables: ServiceTables;
  /** The keys of signed answers, on a stage that has any. */
  readonly signingKeys?: SigningKeys | undefined;
}

/** The name of the alias of every function. API Gateway invokes aliases only. */
const ALIAS = 'live';

/** The function of an endpoint, and the alias of its version that serves requests. */
export class EndpointFunction extends Construct {
  readonly lambda: ReturnType<typeof bundledFunction>;
  /** An update is atomic for callers: versions are immutable, and the previous one serves until the alias names the new one. */
  readonly live: Alias;

  constructor(scope: Construct, id: string, props: EndpointFunctionProps) {
    super(scope, id);
    const { settings, summary, bundle, row, tables, signingKeys } = props;
    this.lambda = bundledFunction(this, {
      settings,
      bundle,
      // Both, because versions for the one and for the other serve requests during a deployment.
      statements: [...tables.statements(grantedActions(row)), ...(signingKeys?.statements(row) ?? [])],
      temporary: tables.statementsOnNamed(grantedActions(row)),
      description: summary,
      memorySize: row.memoryMegabytes,
      // The functions' own deadline is one second before it; API Gateway's limit is 30 s.
      timeout: Duration.seconds(FUNCTION_TIMEOUT_SECONDS),
      // Log levels need this format. At INFO Lambda logs lines of its own for every invocation, at WARN only for failed ones.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: settings.lambdaSystemLogs ? SystemLogLevel.INFO : SystemLogLevel.WARN,
      // Request lines are logged at INFO and carry the metrics: with a higher level the alarms would have no data.
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      environment: this.environment(props),
      // The alias can return to any earlier version by hand. A version of a deployment that fails goes: Lambda would find it
      // unchanged when the same code is deployed again, and CloudFormation fails on a version that exists.
      currentVersionOptions: {
        // Not the commit: the description of a version cannot be updated, so it may change only when the code does.
        description: bundleHash(bundle),
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      },
    });
    this.live = new Alias(this, 'Live', { aliasName: ALIAS, version: this.lambda.currentVersion as IVersion });
    Validations.of(this.lambda).acknowledge(
      {
        id: 'Serverless-LambdaDLQ',
        reason: 'API Gateway invokes synchronously: the caller gets the error, and there is no event to keep.',
      },
      {
        id: 'Serverless-LambdaTracing',
        reason:
          'A request is one round trip to DynamoDB, which its log line and metrics show. X-Ray would need a wildcard permission.',
      },
    );
  }

  private environment({ row, tables: deployed, settings, signingKeys }: EndpointFunctionProps): Record<string, string> {
    const used = Object.keys(grantedActions(row)) as TableId[];
    return {
      ...Object.fromEntries(used.map((id) => [tables[id].environmentVariable, deployed.byId[id].tableName])),
      POWERTOOLS_SERVICE_NAME: 'vehicle-verification',
      POWERTOOLS_LOG_LEVEL: 'INFO',
      ...(row.signing && signingKeys?.environment),
      ...(settings.docsUrl && { DOCS_URL: settings.docsUrl }),
    };
  }
}

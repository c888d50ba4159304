import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  ApplicationLogLevel,
  Architecture,
  Code,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type LogGroupProps } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type TableId, tables } from '../../core/tables.ts';
import { FUNCTION_TIMEOUT_SECONDS, type TableActions } from '../../functions/http/endpoint.ts';
import { bundleHash } from './bundles.ts';
import { metricsNamespace } from './service-metrics.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

const OTHER_MEMORY: Partial<Record<string, number>> = {
  // They wait for several database requests one after the other: more memory makes only their cold start shorter.
  'list-content': 1_024,
  'create-content': 1_024,
  'update-content': 1_024,
  'delete-content': 1_024,
  usage: 1_024,
  // Its answer is an error in any case.
  'not-found': 512,
};

/**
 * Megabytes of a function, which bring a share of a core: docs/performance.md#the-memory-of-each-function has what each size
 * takes and costs. 1,280 are what a lookup needs for a p99 of 15 ms and a cold start of 180 ms, and the cheapest size for bulk.
 */
export const memoryMegabytes = (id: string): number => OTHER_MEMORY[id] ?? 1_280;

export const lambdaArchitecture = ({ architecture }: StageSettings): Architecture =>
  architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64;

/** Where data is kept, logs are too, except those of a stack whose first deployment fails: they would be left over. */
export const logGroupProps = ({ keepsData, logRetentionDays }: StageSettings): LogGroupProps => ({
  retention: logRetentionDays,
  removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
});

/** The role of a function, which may write to its log group and what the statements grant. */
export const functionRole = (scope: Construct, logGroup: LogGroup, statements: readonly PolicyStatement[]): Role => {
  const writeLogs = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { Access: new PolicyDocument({ statements: [writeLogs, ...statements] }) },
  });
};

export interface EndpointFunctionProps {
  readonly settings: StageSettings;
  /** The description that the console shows. */
  readonly summary: string;
  /** The folder of its bundle. */
  readonly bundle: string;
  /** The actions that the role grants on each table. */
  readonly actions: TableActions;
  readonly tables: ServiceTables;
}

/** The name of the alias of every function. API Gateway invokes aliases only. */
const ALIAS = 'live';

/** One Lambda function with its own role and log group, and the alias of its version that serves requests. */
export class EndpointFunction extends Construct {
  readonly lambda: LambdaFunction;
  /** An update is atomic for callers: versions are immutable, and the previous one serves until the alias names the new one. */
  readonly live: Alias;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: EndpointFunctionProps) {
    super(scope, id);
    const { settings, summary, bundle, actions, tables } = props;
    this.logGroup = new LogGroup(this, 'Logs', logGroupProps(settings));
    this.lambda = new LambdaFunction(this, 'Function', {
      description: summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: lambdaArchitecture(settings),
      memorySize: memoryMegabytes(id),
      // The functions' own deadline is one second before it; API Gateway's limit is 30 s.
      timeout: Duration.seconds(FUNCTION_TIMEOUT_SECONDS),
      handler: 'index.handler',
      code: Code.fromAsset(bundle),
      role: functionRole(this, this.logGroup, tables.statements(actions)),
      logGroup: this.logGroup,
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
    this.acknowledgeFindings();
  }

  private environment({ actions, tables: deployed, settings }: EndpointFunctionProps): Record<string, string> {
    const used = Object.keys(actions) as TableId[];
    return {
      ...Object.fromEntries(used.map((id) => [tables[id].environmentVariable, deployed.byId[id].tableName])),
      POWERTOOLS_SERVICE_NAME: 'vehicle-verification',
      POWERTOOLS_LOG_LEVEL: 'INFO',
      POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(settings.stage),
      ...(settings.docsUrl && { DOCS_URL: settings.docsUrl }),
      // The SDK treats empty as unset. `sam local` can override only variables that the template declares.
      AWS_ENDPOINT_URL_DYNAMODB: '',
    };
  }

  private acknowledgeFindings(): void {
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
}

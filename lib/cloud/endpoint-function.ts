import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { TableActions } from '../../functions/endpoints.ts';
import { type TableId, tables } from '../../functions/tables.ts';
import { metricsNamespace } from './service-metrics.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

export interface EndpointFunctionProps {
  readonly settings: StageSettings;
  /** What the function is for, as the console shows it. */
  readonly summary: string;
  /** The folder of its bundle. */
  readonly bundle: string;
  /** What it does on which table: exactly that is granted. */
  readonly actions: TableActions;
  readonly tables: ServiceTables;
}

/** One function with a role and a log group of its own. */
export class EndpointFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: EndpointFunctionProps) {
    super(scope, id);
    const { settings, summary, bundle } = props;
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: settings.logRetention,
      removalPolicy: settings.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.lambda = new LambdaFunction(this, 'Function', {
      description: summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: settings.functions.architecture,
      memorySize: settings.functions.memoryMegabytes,
      timeout: settings.functions.timeout,
      handler: 'index.handler',
      code: Code.fromAsset(bundle),
      role: this.role(props),
      logGroup: this.logGroup,
      environment: this.environment(props),
    });
    this.acknowledgeFindings();
  }

  /** Grants the row's actions on the row's tables and writing to its log; DynamoDB checks a transaction by its items' actions. */
  private role({ actions, tables }: EndpointFunctionProps): Role {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(role);
    for (const [id, names = []] of Object.entries(actions) as [TableId, readonly string[] | undefined][]) {
      role.addToPolicy(
        new PolicyStatement({
          actions: names.map((name) => `dynamodb:${name}`),
          resources: [tables.byId[id].tableArn],
        }),
      );
    }
    return role;
  }

  private environment({ actions, tables: { byId }, settings }: EndpointFunctionProps): Record<string, string> {
    const used = Object.keys(actions) as TableId[];
    return {
      ...Object.fromEntries(used.map((id) => [tables[id].environmentVariable, byId[id].tableName])),
      POWERTOOLS_SERVICE_NAME: 'vehicle-verification',
      POWERTOOLS_LOG_LEVEL: 'INFO',
      POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(settings.stage),
      // Unset for the SDK; declared because `sam local` can only override variables that a template declares.
      AWS_ENDPOINT_URL_DYNAMODB: '',
    };
  }

  private acknowledgeFindings(): void {
    Validations.of(this.lambda).acknowledge(
      {
        id: 'Serverless-LambdaDLQ',
        reason: 'API Gateway invokes synchronously: there is no event to keep, the caller gets the error.',
      },
      {
        id: 'Serverless-LambdaTracing',
        reason:
          'A request is one round trip to DynamoDB, told by its log line and metrics; X-Ray would need a wildcard right.',
      },
    );
  }
}

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Alias, ApplicationLogLevel, type IVersion, LoggingFormat, SystemLogLevel } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { expectedSuppliers } from '../core/stage/intake-entry.ts';
import { type TableId, tableVariable } from '../core/tables.ts';
import { FUNCTION_TIMEOUT_SECONDS, grantedActions, type HttpFunction } from '../functions/http/endpoint-definition.ts';
import { type BundledFunctionProps, bundledFunction } from './bundled-function.ts';
import type { ServiceTables } from './service-tables.ts';

interface EndpointFunctionProps extends Pick<BundledFunctionProps, 'settings' | 'bundle'> {
  /** The description of the function in the console. */
  readonly summary: string;
  readonly endpoint: Pick<HttpFunction, 'tables' | 'memoryMegabytes'>;
  readonly tables: ServiceTables;
}

/** The function of an endpoint, and the alias of its version that serves requests. */
export class EndpointFunction extends Construct {
  readonly lambda: ReturnType<typeof bundledFunction>;
  /** API Gateway invokes only aliases: an update is atomic, because each alias names one version at a time. */
  readonly live: Alias;

  constructor(scope: Construct, id: string, props: EndpointFunctionProps) {
    super(scope, id);
    const { settings, summary, bundle, endpoint, tables: deployed } = props;
    const actions = grantedActions(endpoint);
    const suppliers = expectedSuppliers(settings.intake ?? []);
    this.lambda = bundledFunction(this, {
      settings,
      bundle,
      statements: deployed.statements(actions),
      description: summary,
      memorySize: endpoint.memoryMegabytes,
      // A function's own deadline is one second before it; API Gateway's limit is 30 s.
      timeout: Duration.seconds(FUNCTION_TIMEOUT_SECONDS),
      // Log levels need this format. At INFO Lambda would log its own lines for every invocation, 0.30 USD per million.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      // Request lines are logged at INFO and carry the metrics: with a higher level the alarms would have no data.
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      environment: {
        ...Object.fromEntries(
          (Object.keys(actions) as TableId[]).map((table) => [tableVariable(table), deployed.byId[table].tableName]),
        ),
        ...(settings.plans && { PLANS: JSON.stringify(settings.plans) }),
        ...(settings.checks && { CHECKS: settings.checks.join(',') }),
        ...('vehicles' in endpoint.tables &&
          Object.keys(suppliers).length > 0 && { SUPPLIERS: JSON.stringify(suppliers) }),
        ...(settings.docsUrl && { DOCS_URL: settings.docsUrl }),
      },
      // An operator can move the alias back to any earlier version. The version of a failed deployment is deleted: the
      // same code deployed again would get the same version, and CloudFormation fails on a version that exists.
      currentVersionOptions: {
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      },
    });
    const { role } = this.lambda;
    if (role === undefined) throw new Error(`The function ${id} has no role, so nothing can be permitted to it.`);
    deployed.permitNamed(role, actions);
    this.live = new Alias(this, 'Live', { aliasName: 'live', version: this.lambda.currentVersion as IVersion });
  }
}

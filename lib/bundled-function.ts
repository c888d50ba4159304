import { PolicyDocument, type PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, type FunctionOptions, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { logGroupProps } from './log-group.ts';
import { allow, serviceOfAccount } from './permissions.ts';
import { metricsNamespace } from './service-metrics.ts';
import type { StageSettings } from './stage-settings.ts';

export interface BundledFunctionProps extends FunctionOptions {
  readonly settings: StageSettings;
  /** The folder of its bundle. */
  readonly bundle: string;
  /** The permissions of its role, besides writing to its log group. */
  readonly statements: readonly PolicyStatement[];
}

/** A Lambda function that runs a bundle, with its own role and log group. */
export const bundledFunction = (
  scope: Construct,
  { settings, bundle, statements, environment, ...options }: BundledFunctionProps,
): LambdaFunction => {
  const logGroup = new LogGroup(scope, 'Logs', logGroupProps(settings));
  const writeLogs = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
  const role = new Role(scope, 'Role', {
    assumedBy: serviceOfAccount(scope, 'lambda.amazonaws.com'),
    inlinePolicies: { Access: new PolicyDocument({ statements: [writeLogs, ...statements] }) },
  });
  return new LambdaFunction(scope, 'Function', {
    ...options,
    runtime: Runtime.NODEJS_24_X,
    architecture: settings.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
    handler: 'index.handler',
    code: Code.fromAsset(bundle),
    role,
    logGroup,
    environment: {
      ...environment,
      POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(settings.stage),
      // The SDK treats empty as unset. `sam local` can override only variables that the template declares.
      AWS_ENDPOINT_URL_DYNAMODB: '',
    },
  });
};

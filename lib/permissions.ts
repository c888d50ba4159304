import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { loadsNamespace } from './service-metrics.ts';

export const allow = (actions: string[], resources: string[], conditions: Record<string, unknown> = {}) =>
  new PolicyStatement({ actions, resources, conditions });

/** Lets a service assume a role for resources of this account only, which prevents the confused deputy. */
export const serviceOfAccount = (scope: IConstruct, service: string): ServicePrincipal =>
  new ServicePrincipal(service, { conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } } });

/** The ARN of a stack by its name alone. Its last part is a random id. */
export const stackArn = (stack: Stack): string =>
  stack.formatArn({ service: 'cloudformation', resource: 'stack', resourceName: `${stack.stackName}/*` });

/** Allows publishing the metrics of loads. Metrics are no resources, but the namespace is of one stage. */
export const allowMetrics = (...loads: Parameters<typeof loadsNamespace>): PolicyStatement =>
  allow(['cloudwatch:PutMetricData'], ['*'], { StringEquals: { 'cloudwatch:namespace': loadsNamespace(...loads) } });

/** Allows reading the outputs of a stack, as the CLI does. */
export const allowOutputs = (stack: Stack): PolicyStatement =>
  allow(['cloudformation:DescribeStacks'], [stackArn(stack)]);

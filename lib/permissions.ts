import { Stack, Token, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { loadsNamespace } from './service-metrics.ts';

export const allow = (actions: string[], resources: string[], conditions: Record<string, unknown> = {}) =>
  new PolicyStatement({ actions, resources, conditions });

/** Allows the actions on everything that has the tags of a stage (service-stack.ts). */
export const allowOnTagged = (actions: string[], stage: string): PolicyStatement =>
  allow(actions, ['*'], {
    StringEquals: { 'aws:ResourceTag/service': 'vehicle-verification', 'aws:ResourceTag/stage': stage },
  });

/** Lets a service assume a role for resources of this account only, which prevents the confused deputy. */
export const serviceOfAccount = (scope: IConstruct, service: string): ServicePrincipal =>
  new ServicePrincipal(service, { conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } } });

/** The ARN of a stack by its name alone. Its last part is a random id. */
export const stackArn = (stack: Stack, account: string = stack.account): string =>
  stack.formatArn({ service: 'cloudformation', resource: 'stack', resourceName: `${stack.stackName}/*`, account });

/** Tells cdk-nag to accept the wildcard in `stackArn`. */
export const acknowledgeStack = (construct: IConstruct): void => {
  const stack = Stack.of(construct);
  const account = Token.isUnresolved(stack.account) ? '<AWS::AccountId>' : stack.account;
  Validations.of(construct).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${stackArn(stack, account)}]`,
    reason: 'Only stacks with this name: the rest of the ARN is a random id.',
  });
};

/** Allows publishing the metrics of loads. A construct with it needs `acknowledgeMetrics`. */
export const allowMetrics = (...loads: Parameters<typeof loadsNamespace>): PolicyStatement =>
  allow(['cloudwatch:PutMetricData'], ['*'], { StringEquals: { 'cloudwatch:namespace': loadsNamespace(...loads) } });

/** Tells cdk-nag to accept the resource `*` of `allowMetrics`. */
export const acknowledgeMetrics = (construct: IConstruct): void =>
  Validations.of(construct).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'Metrics are no resources; the condition limits the action to one namespace of this stage.',
  });

/** Allows reading the outputs of a stack, as the CLI does. */
export const allowOutputs = (stack: Stack): PolicyStatement => {
  acknowledgeStack(stack);
  return allow(['cloudformation:DescribeStacks'], [stackArn(stack)]);
};

/** IAM statements that several roles and policies share. */
import { type Stack, Token, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { metricsNamespace } from './service-metrics.ts';

/** Allows the actions on the resources, under all the conditions. */
export const allow = (actions: string[], resources: string[], conditions: Record<string, unknown> = {}) =>
  new PolicyStatement({ actions, resources, conditions });

/** Allows publishing the metrics of a stage. A construct with it needs `acknowledgeMetrics`. */
export const allowMetrics = (stage: string): PolicyStatement =>
  allow(['cloudwatch:PutMetricData'], ['*'], { StringEquals: { 'cloudwatch:namespace': metricsNamespace(stage) } });

/** Accepts the resource `*` of `allowMetrics`. */
export const acknowledgeMetrics = (construct: IConstruct): void =>
  Validations.of(construct).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'Metrics are no resources; the condition limits the action to the namespace of this stage.',
  });

/** Allows reading the outputs of a stack, as the CLI does. */
export const allowOutputs = (stack: Stack): PolicyStatement => {
  const { stackName, account } = stack;
  // The last part of a stack's ARN is random, and the CLI knows only the name.
  const arn = { service: 'cloudformation', resource: 'stack', resourceName: `${stackName}/*` };
  const shownAccount = Token.isUnresolved(account) ? '<AWS::AccountId>' : account;
  Validations.of(stack).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${stack.formatArn({ ...arn, account: shownAccount })}]`,
    reason: 'Only stacks with this name: the rest of the ARN is a random id.',
  });
  return allow(['cloudformation:DescribeStacks'], [stack.formatArn(arn)]);
};

import { Stack, Token, Validations } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { TableId } from '../../core/tables.ts';
import { metricsNamespace } from './service-metrics.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

/** The actions that the CLI needs on each table. A test compares them with the requests that its commands send. */
export const OPERATOR_ACTIONS: Readonly<Record<TableId, readonly string[]>> = {
  keys: ['GetItem', 'PutItem', 'Scan', 'UpdateItem'],
  usage: ['Query'],
  vehicles: ['BatchGetItem', 'DeleteItem', 'PutItem', 'Scan'],
  compliance: ['BatchGetItem', 'DeleteItem', 'PutItem', 'Scan'],
  content: ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'],
};

/**
 * The permissions of an operator who uses the CLI on the tables of this stage. They include neither other tables, such as restored
 * ones, nor deployments. The policy is attached to nobody.
 */
export class OperatorPolicy extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, tables: ServiceTables, { stage, expectImports }: StageSettings) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const policy = new ManagedPolicy(this, 'Policy', { description: `Operators of ${stackName}: what the CLI needs` });
    for (const [table, actions] of Object.entries(OPERATOR_ACTIONS) as [TableId, readonly string[]][]) {
      policy.addStatements(
        new PolicyStatement({
          actions: actions.map((name) => `dynamodb:${name}`),
          resources: [tables.byId[table].tableArn],
        }),
      );
    }
    // The last part of a stack's ARN is random, and the CLI knows only the name.
    const stackIn = (account?: string) =>
      Stack.of(this).formatArn({
        service: 'cloudformation',
        resource: 'stack',
        resourceName: `${stackName}/*`,
        ...(account && { account }),
      });
    policy.addStatements(new PolicyStatement({ actions: ['cloudformation:DescribeStacks'], resources: [stackIn()] }));
    const { account } = Stack.of(this);
    Validations.of(policy).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${stackIn(Token.isUnresolved(account) ? '<AWS::AccountId>' : account)}]`,
      reason: 'Only stacks with this name: the rest of the ARN is a random id.',
    });
    if (expectImports) {
      const conditions = { StringEquals: { 'cloudwatch:namespace': metricsNamespace(stage) } };
      policy.addStatements(
        new PolicyStatement({ actions: ['cloudwatch:PutMetricData'], resources: ['*'], conditions }),
      );
      const reason = 'Metrics are no resources; the condition limits the action to the namespace of this stage.';
      Validations.of(policy).acknowledge({ id: 'AwsSolutions-IAM5[Resource::*]', reason });
    }
    this.arn = policy.managedPolicyArn;
  }
}

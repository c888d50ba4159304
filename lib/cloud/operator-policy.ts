import { Stack, Token, Validations } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { TableId } from '../../core/tables.ts';
import { KEYS_POLICY_OUTPUT, LOADS_POLICY_OUTPUT, OPERATOR_POLICY_OUTPUT, SUPPORT_POLICY_OUTPUT } from './outputs.ts';
import { metricsNamespace } from './service-metrics.ts';
import type { ServiceTables } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

type TableActions = Partial<Readonly<Record<TableId, readonly string[]>>>;

const KEYS: TableActions = { keys: ['GetItem', 'PutItem', 'Scan', 'UpdateItem'], usage: ['Query'] };

/** What imports, exports, removals and checks of content need; the loads of `intake` too. */
export const LOAD_ACTIONS = {
  vehicles: ['BatchGetItem', 'DeleteItem', 'PutItem', 'Scan'],
  compliance: ['BatchGetItem', 'DeleteItem', 'PutItem', 'Scan'],
  content: ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'],
} as const satisfies TableActions;

/** `tables check` also describes a table. */
const LOADS: TableActions = {
  ...LOAD_ACTIONS,
  vehicles: [...LOAD_ACTIONS.vehicles, 'DescribeTable'],
  compliance: [...LOAD_ACTIONS.compliance, 'DescribeTable'],
};

/** Not `Scan` of vehicles: support looks one up, but exports none. */
const SUPPORT: TableActions = {
  keys: ['GetItem', 'Scan'],
  usage: ['Query'],
  vehicles: ['BatchGetItem'],
  compliance: ['BatchGetItem'],
};

export type OperatorPolicyId = 'Operators' | 'KeyOperators' | 'LoadOperators' | 'Support';

interface PolicyDescription {
  readonly output: string;
  readonly purpose: string;
  readonly actions: TableActions;
}

/** What each policy is for, and the actions that its commands need. A test compares them with the requests that they send. */
export const OPERATOR_POLICIES: Readonly<Record<OperatorPolicyId, PolicyDescription>> = {
  Operators: { output: OPERATOR_POLICY_OUTPUT, purpose: 'what the CLI needs', actions: { ...KEYS, ...LOADS } },
  KeyOperators: { output: KEYS_POLICY_OUTPUT, purpose: 'API keys and their usage', actions: KEYS },
  LoadOperators: { output: LOADS_POLICY_OUTPUT, purpose: 'data: import, remove, export, check', actions: LOADS },
  Support: { output: SUPPORT_POLICY_OUTPUT, purpose: 'list keys, their usage, look up a vehicle', actions: SUPPORT },
};

/**
 * Permissions of people who use the CLI on the tables of this stage. They include neither other tables, except
 * those that the setting `tables` names, nor deployments. The policy is attached to nobody.
 */
export class OperatorPolicy extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: OperatorPolicyId, tables: ServiceTables, { stage, expectImports }: StageSettings) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const { purpose, actions: permitted } = OPERATOR_POLICIES[id];
    const policy = new ManagedPolicy(this, 'Policy', { description: `Operators of ${stackName}: ${purpose}` });
    const onNamed = tables.statementsOnNamed(permitted).map(([, statement]) => statement);
    policy.addStatements(...tables.statements(permitted), ...onNamed);
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
    if (expectImports && permitted.vehicles?.includes('PutItem')) {
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

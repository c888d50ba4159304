import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { allowFiles } from './intake-bucket.ts';
import { allowMetrics, allowOutputs } from './permissions.ts';
import type { ServiceTables, TableGrants } from './service-tables.ts';
import type { StageSettings } from './stage-settings.ts';

const KEYS: TableGrants = { keys: ['GetItem', 'PutItem', 'Scan'], usage: ['Query'] };

/** The actions of imports, exports, removals, erasures, and the loads of `intake`. */
export const LOAD_ACTIONS = {
  vehicles: ['BatchGetItem', 'DeleteItem', 'DescribeTable', 'PutItem', 'Scan'],
  compliance: ['BatchGetItem', 'DeleteItem', 'PutItem', 'Scan'],
  content: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Scan', 'UpdateItem'],
  // The item with the finished loads.
  usage: ['GetItem', 'UpdateItem'],
} as const satisfies TableGrants;

/** `tables check` also describes a table. */
const LOADS: TableGrants = {
  ...LOAD_ACTIONS,
  compliance: [...LOAD_ACTIONS.compliance, 'DescribeTable'],
};

/** Support may not scan the vehicles: it looks up single ones, and exports none. */
const SUPPORT: TableGrants = {
  keys: ['GetItem', 'Scan'],
  usage: ['GetItem', 'Query'],
  vehicles: ['BatchGetItem'],
  compliance: ['BatchGetItem'],
};

/** Each policy by its id, with the actions of its commands. A test compares them with the requests sent. */
const OPERATOR_POLICIES: Readonly<Record<string, { output: string; purpose: string; actions: TableGrants }>> = {
  Operators: {
    output: 'OperatorPolicy',
    purpose: 'what the CLI needs',
    actions: { ...KEYS, ...LOADS, usage: ['GetItem', 'Query', 'UpdateItem'] },
  },
  KeyOperators: { output: 'KeysPolicy', purpose: 'API keys and their usage', actions: KEYS },
  LoadOperators: { output: 'LoadsPolicy', purpose: 'data: import, remove, erase, export, check', actions: LOADS },
  Support: { output: 'SupportPolicy', purpose: 'list keys, their usage, look up a vehicle', actions: SUPPORT },
};

interface OperatedParts {
  readonly settings: StageSettings;
  readonly tables: ServiceTables;
  /** The bucket of the intake. */
  readonly files: Bucket | undefined;
}

/**
 * Adds the policies of people who use the CLI, attached to nobody. They permit the tables of this stage and those that
 * the setting `tables` names, but no deployments. Whoever loads data may also start the builds of the intake, by an
 * object and not by `codebuild:StartBuild`, with which a build can run any program with the role of the builds.
 */
export const addOperatorPolicies = (stack: Stack, { settings, tables, files }: OperatedParts): void => {
  for (const [id, { output, purpose, actions }] of Object.entries(OPERATOR_POLICIES)) {
    const policy = new ManagedPolicy(new Construct(stack, id), 'Policy', {
      description: `Operators of ${stack.stackName}: ${purpose}`,
    });
    policy.addStatements(...tables.statements(actions), ...tables.statementsOnNamed(actions), allowOutputs(stack));
    const isForLoads = actions.vehicles?.includes('PutItem');
    if (isForLoads && files) policy.addStatements(...allowFiles(files, settings.intake ?? []));
    if (isForLoads && (settings.expectImports || files)) {
      policy.addStatements(allowMetrics(settings.stage, 'ByHand'));
    }
    new CfnOutput(stack, output, { value: policy.managedPolicyArn });
  }
};

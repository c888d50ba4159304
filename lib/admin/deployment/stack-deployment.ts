import {
  CloudFormationClient,
  type CloudFormationClientConfig,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import type { TableId, TableNames } from '../../../core/tables.ts';
import { KEEPS_DATA_OUTPUT, tableOutput } from '../../cloud/outputs.ts';
import { CommandFailure } from '../command/outcome.ts';
import { awsErrorSentence } from './aws-errors.ts';
import { connect } from './database.ts';
import type { Deployment } from './deployment.ts';
import type { Region } from './region.ts';
import { type NamedTables, TABLE_IDS } from './table-names.ts';

interface StackOptions {
  readonly stack: string;
  readonly region: Region;
  readonly profile: string | undefined;
  /** From `--profile`, otherwise from the environment. */
  readonly profileInUse: string | undefined;
  /** Tables to use instead of the stack's own, such as a restored one. */
  readonly named: NamedTables;
  readonly yes: string | undefined;
}

type Outputs = ReadonlyMap<string, string>;

/** Milliseconds. The SDK has no time limit of its own. */
const TIMEOUTS = { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true };

const explain = (error: unknown, { stack, region, profileInUse }: StackOptions): CommandFailure => {
  const failed = error instanceof Error ? error : new Error(String(error));
  if (/does not exist/.test(failed.message)) {
    const where = `${region.name} (from ${region.source})`;
    return new CommandFailure(`there is no stack ${stack} in ${where}: check its name, the region and the account`);
  }
  const sentence = awsErrorSentence(failed, profileInUse) ?? `the stack ${stack} could not be read (${failed.name})`;
  return new CommandFailure(sentence, { cause: error });
};

const outputsOf = async (account: CloudFormationClientConfig, options: StackOptions): Promise<Outputs> => {
  const client = new CloudFormationClient({ ...account, requestHandler: TIMEOUTS });
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: options.stack }));
    const outputs = Stacks[0]?.Outputs ?? [];
    return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
  } catch (error) {
    throw explain(error, options);
  } finally {
    client.destroy();
  }
};

const tableNamesFrom = (outputs: Outputs, { stack, named }: StackOptions): TableNames => {
  const nameOf = (id: TableId): string => {
    const name = named[id] ?? outputs.get(tableOutput(id));
    if (name) return name;
    throw new CommandFailure(`the stack ${stack} is not a stack of this service: it has no output ${tableOutput(id)}`);
  };
  return Object.fromEntries(TABLE_IDS.map((id) => [id, nameOf(id)])) as TableNames;
};

/**
 * Opens the tables of a deployed stack. Their names come from its outputs, except those in `named`.
 * @throws CommandFailure when the stack does not exist, cannot be read or is not a stack of this service
 */
export const openStackDeployment = async (options: StackOptions): Promise<Deployment> => {
  const { stack, region, profile, profileInUse, yes } = options;
  const account = { region: region.name, ...(profile && { profile }) };
  const outputs = await outputsOf(account, options);
  return {
    tableNames: tableNamesFrom(outputs, options),
    db: connect(account),
    aws: { profile: profileInUse },
    address: `the stack ${stack} in ${region.name}`,
    remedy: 'check the stack in the CloudFormation console',
    ...(outputs.get(KEEPS_DATA_OUTPUT) === 'yes' && { guard: { name: stack, given: yes } }),
  };
};

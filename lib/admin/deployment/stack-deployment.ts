import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { TableId, TableNames } from '../../../functions/tables.ts';
import { KEEPS_DATA_OUTPUT, tableOutput } from '../../cloud/outputs.ts';
import { CommandFailure } from '../command/outcome.ts';
import { connect, NO_CREDENTIALS } from './database.ts';
import type { Deployment } from './deployment.ts';
import { type NamedTables, TABLE_IDS } from './table-names.ts';

interface StackOptions {
  readonly stack: string;
  readonly region: string | undefined;
  readonly profile: string | undefined;
  readonly yes: string | undefined;
}

/** Region and credentials as the AWS CLI finds them, unless options name others. */
const account = ({ region, profile }: StackOptions) => ({ ...(region && { region }), ...(profile && { profile }) });

type Outputs = ReadonlyMap<string, string>;

const explain = (error: unknown, { stack, region }: StackOptions): CommandFailure => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (/does not exist/.test(message)) {
    return new CommandFailure(`there is no stack ${stack} in ${region ?? 'this region'}`);
  }
  if (/[Rr]egion is missing/.test(message)) return new CommandFailure('name the region of the stack with --region');
  if (/Credentials/.test(name)) return new CommandFailure(NO_CREDENTIALS);
  return new CommandFailure(`the stack ${stack} could not be read (${name})`, { cause: error });
};

const outputsOf = async (options: StackOptions): Promise<Outputs> => {
  const client = new CloudFormationClient(account(options));
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

const tableNamesFrom = (outputs: Outputs, stack: string, named: NamedTables): TableNames => {
  const nameOf = (id: TableId): string => {
    const name = named[id] ?? outputs.get(tableOutput(id));
    if (name) return name;
    throw new CommandFailure(`the stack ${stack} is not a stack of this service: it has no output ${tableOutput(id)}`);
  };
  return Object.fromEntries(TABLE_IDS.map((id) => [id, nameOf(id)])) as TableNames;
};

/**
 * The tables of a deployed stack, from its outputs, except those that are named: others of its account, such as a restored
 * table.
 * @throws CommandFailure when the stack does not exist or cannot be read
 */
export const openStackDeployment = async (options: StackOptions, named: NamedTables): Promise<Deployment> => {
  const { stack, yes } = options;
  const outputs = await outputsOf(options);
  return {
    tableNames: tableNamesFrom(outputs, stack, named),
    db: connect(account(options)),
    address: `the stack ${stack}`,
    remedy: 'look at the stack in the console',
    ...(outputs.get(KEEPS_DATA_OUTPUT) === 'yes' && { guard: { name: stack, given: yes } }),
  };
};

import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { BASE_ADDRESS_OUTPUT, tableOutput } from '../../../core/stage/outputs.ts';
import { type TableId, tables } from '../../../core/tables.ts';

/** What is asked of CloudFormation itself, where the cdk command does not do it. */
export const deployedStack = (name: string, endpoint: string) => {
  const client = new CloudFormationClient({
    endpoint,
    region: 'eu-west-2',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });

  const describe = async () => {
    try {
      const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
      return Stacks[0];
    } catch (error) {
      if (error instanceof Error && error.message.includes('does not exist')) return undefined;
      throw error;
    }
  };

  const output = async (name: string): Promise<string> => {
    const outputs = (await describe())?.Outputs ?? [];
    const value = outputs.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (value === undefined) throw new Error(`the stack has no output ${name}`);
    return value;
  };

  return {
    status: async () => (await describe())?.StackStatus,

    isProtected: async () => (await describe())?.EnableTerminationProtection,

    /** `host:port` of the API, by which the emulator knows it. */
    apiHost: async (): Promise<string> => new URL(await output(BASE_ADDRESS_OUTPUT)).host,

    tableName: (id: TableId): Promise<string> => output(tableOutput(id)),

    tableNames: async (): Promise<readonly string[]> =>
      (await Promise.all((Object.keys(tables) as TableId[]).map((id) => output(tableOutput(id))))).sort(),
  };
};

import { setTimeout as pause } from 'node:timers/promises';
import { CloudFormationClient, DeleteStackCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { TableId } from '../../functions/tables.ts';
import { BASE_ADDRESS_OUTPUT, tableOutput } from '../../lib/cloud/outputs.ts';

const POLL_MS = 250;
const DELETE_SECONDS = 60;

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

    /** `host:port` of the API, by which the emulator knows it. */
    apiHost: async (): Promise<string> => new URL(await output(BASE_ADDRESS_OUTPUT)).host,

    tableName: (id: TableId): Promise<string> => output(tableOutput(id)),

    /** Deletes the stack and waits until it is gone: the emulator ignores `cdk destroy`. */
    remove: async (): Promise<void> => {
      await client.send(new DeleteStackCommand({ StackName: name }));
      for (let waited = 0; waited < DELETE_SECONDS * 1_000; waited += POLL_MS) {
        const status = (await describe())?.StackStatus;
        if (status === undefined || status === 'DELETE_COMPLETE') return;
        await pause(POLL_MS);
      }
      throw new Error(`the stack ${name} was not deleted within ${DELETE_SECONDS} s`);
    },
  };
};

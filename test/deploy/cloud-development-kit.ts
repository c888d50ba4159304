import { dirname, join } from 'node:path';
import { runCommand } from '../support/run-command.ts';

const ROOT = join(import.meta.dirname, '../..');
const CDK = join(ROOT, 'node_modules/.bin/cdk');

/** An operator's shell that takes the emulator for AWS. */
export const environmentFor = (endpoint: string): NodeJS.ProcessEnv => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: process.env.HOME,
  AWS_ENDPOINT_URL: endpoint,
  AWS_ENDPOINT_URL_S3: endpoint,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'eu-west-2',
  AWS_DEFAULT_REGION: 'eu-west-2',
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  CI: 'true',
});

/** The real cdk command for the stage dev, with its committed settings unless `-c stages=…` names others. */
export const cdk =
  (env: NodeJS.ProcessEnv, output: string) =>
  (command: string, ...args: string[]): Promise<string> =>
    runCommand(CDK, [command, '--output', output, '--no-notices', ...args], { env });

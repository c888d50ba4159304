import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, jest } from '@jest/globals';
import { pythonTools } from '../../support/python-tools.ts';
import { runCommand } from '../../support/run-command.ts';
import { useFolder } from '../../support/use-folder.ts';
import { type Emulator, startMinistack } from './ministack.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CDK = join(ROOT, 'node_modules/.bin/cdk');

const APP = `${process.execPath} ${join(import.meta.dirname, 'emulated-app.ts')}`;

/** The stack of the stage prod. */
export const STACK = 'vehicle-verification-prod';

/**
 * An AWS emulator with a bootstrapped account for the tests of a file, and an operator's shell whose AWS it is.
 * With `checksPolicies` it denies what no policy permits.
 */
export const useEmulator = ({ checksPolicies = false } = {}) => {
  // Several deployments on a busy machine: this only ends one that hangs.
  jest.setTimeout(900_000);
  let emulator: Emulator;
  const env: NodeJS.ProcessEnv = {};
  afterAll(() => emulator?.stop());
  const inFolder = useFolder();

  const cdk = (command: string, ...args: string[]): Promise<string> =>
    runCommand(CDK, [command, '--no-notices', ...args], { env });

  beforeAll(async () => {
    const programs = pythonTools(join(import.meta.dirname, 'requirements.txt'), 'ministack');
    emulator = await startMinistack(programs, inFolder(), checksPolicies);
    const { endpoint, certificate } = emulator;
    Object.assign(env, {
      PATH: [programs, dirname(process.execPath), process.env.PATH].join(':'),
      HOME: process.env.HOME,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'eu-west-2',
      AWS_DEFAULT_REGION: 'eu-west-2',
      // What the CDK remembers of accounts.
      CDK_HOME: inFolder('cdk-home'),
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      CDK_APP: APP,
      CI: 'true',
      ...(checksPolicies && { AWS_CA_BUNDLE: certificate, NODE_EXTRA_CA_CERTS: certificate }),
    });
    await cdk('bootstrap', '-c', 'stage=prod', '--output', inFolder('prod'));
  });

  return {
    inFolder,
    env,
    endpoint: () => emulator.endpoint,

    /** The real cdk command. Its app is the project's, or with `--app FOLDER` what an earlier `synth` wrote there. */
    cdk,

    /** Deploys prod with its committed settings, except for these, from the folder `prod`. */
    deployProd: async (changes: object = {}): Promise<void> => {
      const settings = JSON.parse(await readFile(join(ROOT, 'stages/prod.json'), 'utf8'));
      await writeFile(inFolder('prod.json'), JSON.stringify({ ...settings, ...changes }));
      const context = ['-c', 'stage=prod', '-c', `stages=${inFolder()}`, '--output', inFolder('prod')];
      await cdk('deploy', ...context, '--require-approval', 'never');
    },
  };
};

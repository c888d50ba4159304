import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, jest } from '@jest/globals';
import { pythonTools } from '../../support/python-tools.ts';
import { runCommand } from '../../support/run-command.ts';
import { useFolder } from '../../support/use-folder.ts';
import { type Emulator, startMinistack } from './ministack.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CDK = join(ROOT, 'node_modules/.bin/cdk');

/** The stack of the stage prod. */
export const STACK = 'vehicle-verification-prod';

interface Resource {
  readonly Type: string;
  readonly UpdatePolicy?: unknown;
  readonly Properties: { readonly Metrics?: readonly { readonly MetricStat?: MetricStat }[] };
}

interface MetricStat {
  readonly Metric: object;
  readonly Period: number;
  readonly Stat: string;
}

/** An alarm on an expression, which the emulator rejects, as one on the first of its metrics. */
const withoutExpression = ({ Metrics = [], ...properties }: Resource['Properties']): object => {
  const { Metric, Period, Stat } = Metrics.find(({ MetricStat }) => MetricStat)?.MetricStat ?? {};
  return Metric ? { ...properties, ...Metric, Period, Statistic: Stat } : properties;
};

/**
 * Takes out of a synthesised template what the emulator does not have: CodeDeploy's application and deployment groups,
 * and the policy by which they move the aliases. CloudFormation then moves them itself. Role and alarms stay.
 */
const takeOutMissing = async (file: string): Promise<void> => {
  const template = JSON.parse(await readFile(file, 'utf8'));
  const resources = Object.entries<Resource>(template.Resources)
    .filter(([, { Type }]) => !Type.startsWith('AWS::CodeDeploy::'))
    .map(([id, { UpdatePolicy: _, ...resource }]) => {
      const isAlarm = resource.Type === 'AWS::CloudWatch::Alarm';
      return [id, isAlarm ? { ...resource, Properties: withoutExpression(resource.Properties) } : resource];
    });
  await writeFile(file, JSON.stringify({ ...template, Resources: Object.fromEntries(resources) }));
};

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

    /** Deploys prod with its committed settings, except for these, and without CodeDeploy, from the folder `prod`. */
    deployProd: async (changes: object = {}): Promise<void> => {
      const settings = JSON.parse(await readFile(join(ROOT, 'stages/prod.json'), 'utf8'));
      await writeFile(inFolder('prod.json'), JSON.stringify({ ...settings, ...changes }));
      const output = inFolder('prod');
      await cdk('synth', '-c', 'stage=prod', '-c', `stages=${inFolder()}`, '--output', output, '--quiet');
      await takeOutMissing(join(output, `${STACK}.template.json`));
      await cdk('deploy', '--app', output, '--require-approval', 'never');
    },
  };
};

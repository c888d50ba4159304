import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '../../support/run-command.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CDK = join(ROOT, 'node_modules/.bin/cdk');

/** An operator's shell whose AWS is the emulator. `folder` keeps what the CDK remembers of its accounts. */
export const environmentFor = (endpoint: string, folder: string): NodeJS.ProcessEnv => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: process.env.HOME,
  AWS_ENDPOINT_URL: endpoint,
  AWS_ENDPOINT_URL_S3: endpoint,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'eu-west-2',
  AWS_DEFAULT_REGION: 'eu-west-2',
  CDK_HOME: folder,
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  CI: 'true',
});

/** The real cdk command. Its app is the project's, or with `--app FOLDER` what an earlier `synth` has written there. */
export const cdk =
  (env: NodeJS.ProcessEnv) =>
  (command: string, ...args: string[]): Promise<string> =>
    runCommand(CDK, [command, '--no-notices', ...args], { env });

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
 * Takes out of a synthesised template what the emulator does not have. CodeDeploy: its application, its deployment
 * groups, and the policy by which they move the aliases in an update. CloudFormation then moves them itself. Role and
 * alarms stay.
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

/** Synthesises prod into a folder, by default with its committed settings, and deploys it without CodeDeploy. */
export const deployProd = async (env: NodeJS.ProcessEnv, output: string, ...context: string[]): Promise<void> => {
  const run = cdk(env);
  await run('synth', '-c', 'stage=prod', ...context, '--output', output, '--quiet');
  await takeOutMissing(join(output, 'vehicle-verification-prod.template.json'));
  await run('deploy', '--app', output, '--require-approval', 'never');
};

/** Runs in a process of its own: inside Jest the CDK takes twice the time and 400 MB more of memory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { endpoints } from '../../../functions/endpoints.ts';
import type { Bundles } from '../../../lib/cloud/bundles.ts';
import { SERVICE_METRICS } from '../../../lib/cloud/service-metrics.ts';
import { ServiceStack } from '../../../lib/cloud/service-stack.ts';
import { type StageSettings, stageSettings } from '../../../lib/cloud/stage-settings.ts';

/** What `cdk deploy -c NAME=VALUE` sets. */
export type Context = Readonly<Record<string, string>>;

/** Any folder will do: the template does not depend on the contents of a bundle. */
const bundles = Object.fromEntries(
  [...Object.keys(endpoints), 'not-found'].map((id) => [id, import.meta.dirname]),
) as Record<keyof Bundles, string>;

/** The stack of a stage in its own app, as `cdk deploy -c stage=…` creates it. */
const synthesise = (assemblies: string, context: Context, changes: Partial<StageSettings> = {}) => {
  const outdir = mkdtempSync(join(assemblies, 'app-'));
  const app = new App({ outdir, context: { 'aws:cdk:bundling-stacks': [], ...context } });
  const settings = { ...stageSettings(app.node), ...changes };
  const env = { account: '123456789012', region: 'eu-west-2' };
  return { app, stack: new ServiceStack(app, `vehicle-verification-${settings.stage}`, { settings, bundles, env }) };
};

/** Each app synthesises into a folder of its own; by default the CDK leaves them in the temporary folder. */
export const startSynthesis = () => {
  const assemblies = mkdtempSync(join(tmpdir(), 'cloud-assemblies-'));
  process.on('exit', () => rmSync(assemblies, { recursive: true }));
  return {
    metrics: SERVICE_METRICS,
    templateOf: (context: Context) => Template.fromStack(synthesise(assemblies, context).stack).toJSON(),
    /** The message with which synthesis fails at this throttle, in requests per second; undefined when it does not. */
    failureAtRate: (rateLimit: number): string | undefined => {
      try {
        synthesise(assemblies, { stage: 'dev' }, { throttle: { rateLimit, burstLimit: rateLimit } });
        return undefined;
      } catch (error) {
        return String(error);
      }
    },
    /** The violations of the rule packs in the validation report. */
    violationsOf: (context: Context): string[] => {
      const { app } = synthesise(assemblies, context);
      Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
      const report = readFileSync(join(app.synth().directory, 'validation-report.json'), 'utf8');
      const { pluginReports } = JSON.parse(report) as {
        pluginReports: { violations: { ruleName: string }[] }[];
      };
      return pluginReports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName));
    },
  };
};

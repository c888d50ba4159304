/**
 * As a program it writes the templates of all stages to a file. Inside Jest the CDK takes twice the time and 400 MB
 * more of memory.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { FUNCTION_IDS } from '../../../functions/endpoints/endpoint-files.ts';
import type { Bundles } from '../../../lib/bundles.ts';
import { SERVICE_METRICS } from '../../../lib/service-metrics.ts';
import { ServiceStack } from '../../../lib/service-stack.ts';
import { stageSettings } from '../../../lib/stage-settings.ts';
import { STAGES, type Stage } from './stages.ts';

const ROOT = join(import.meta.dirname, '../../..');

const readJson = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

/** One bundle for every function: the template depends on the contents of a bundle in hashes only. */
const bundlesIn = (folder: string): Bundles => {
  const bundle = join(folder, 'bundle');
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, 'index.js'), 'exports.handler = () => undefined;');
  return Object.fromEntries([...FUNCTION_IDS, 'probe'].map((id) => [id, bundle])) as Record<keyof Bundles, string>;
};

const violationsIn = (assembly: string): string => {
  const { pluginReports } = JSON.parse(readFileSync(join(assembly, 'validation-report.json'), 'utf8')) as {
    pluginReports: { violations: { ruleName: string }[] }[];
  };
  return pluginReports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName)).join(', ');
};

/**
 * The stack of a stage in its own app, as `cdk deploy -c stage=…` creates it.
 * @throws Error that names the rules of AwsSolutions that it violates
 */
const stackOf = (assemblies: string, { stage, architecture = 'arm64', settings: changes = {} }: Stage) => {
  const outdir = mkdtempSync(join(assemblies, 'app-'));
  const file = { ...readJson(`stages/${stage}.json`), account: '123456789012', ...changes };
  writeFileSync(join(outdir, `${stage}.json`), JSON.stringify(file));
  const { context } = readJson('cdk.json');
  const app = new App({
    outdir,
    context: { ...context, 'aws:cdk:bundling-stacks': [], stage, architecture, stages: outdir },
  });
  const settings = stageSettings(app.node.getAllContext());
  const bundles = bundlesIn(assemblies);
  const parts = { settings, bundles, program: bundles.probe, commit: 'unknown' };
  const stack = new ServiceStack(app, `vehicle-verification-${stage}`, parts);
  try {
    app.synth();
  } catch (cause) {
    throw new Error(`The stage ${stage} violates: ${violationsIn(outdir)}`, { cause });
  }
  const { account, region, terminationProtection } = stack;
  const warnings = Annotations.fromStack(stack).findWarning('*', Match.anyValue());
  return {
    account,
    region,
    terminationProtection,
    template: Template.fromStack(stack).toJSON(),
    warnings: warnings.map(({ entry }) => String(entry.data)),
  };
};

/** The template of each stage, and what else its stack has in the cloud assembly. */
export const synthesise = (stages: Readonly<Record<string, Stage>>) => {
  // The CDK prints each warning; the tests read them.
  console.error = () => undefined;
  // By default the CDK leaves the output of each app in the temporary folder.
  const assemblies = mkdtempSync(join(tmpdir(), 'cloud-assemblies-'));
  process.on('exit', () => rmSync(assemblies, { recursive: true }));
  return {
    metrics: SERVICE_METRICS,
    stacks: Object.fromEntries(Object.entries(stages).map(([name, stage]) => [name, stackOf(assemblies, stage)])),
  };
};

const [file] = process.argv.slice(2);
if (import.meta.main && file !== undefined) writeFileSync(file, JSON.stringify(synthesise(STAGES)));

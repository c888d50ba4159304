/** The CDK app with the stack of one stage: `npx cdk deploy -c stage=dev`. */
import { spawnSync } from 'node:child_process';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { bundleAdmin, bundleFunctions } from '../lib/bundles.ts';
import { ServiceStack } from '../lib/service-stack.ts';
import { InvalidSettings, type StageSettings, stageSettings } from '../lib/stage-settings.ts';

const app = new App();

/** A longer list of changed files is cut off. */
const MAX_COMMIT_CHARACTERS = 300;

/** What git prints; empty outside a repository, or without git. */
const git = (...args: string[]): string => spawnSync('git', args, { encoding: 'utf8' }).stdout?.trim() ?? '';

const describeCommit = (): string => {
  const changes = git('status', '--porcelain')
    .split(/\s*\n\s*/)
    .join(', ');
  const commit = git('rev-parse', 'HEAD') || 'unknown';
  return (changes === '' ? commit : `${commit} with uncommitted changes: ${changes}`).slice(0, MAX_COMMIT_CHARACTERS);
};

const readSettings = (): StageSettings => {
  try {
    return stageSettings(app.node.getAllContext());
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
};

const settings = readSettings();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
const bundles = await bundleFunctions();
const program = settings.intake && (await bundleAdmin());
const commit = describeCommit();
new ServiceStack(app, `vehicle-verification-${settings.stage}`, { settings, bundles, program, commit });
app.synth();

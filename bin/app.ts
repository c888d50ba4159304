/** The CDK app with the stack of one stage: `npx cdk deploy -c stage=dev`. */
import { spawnSync } from 'node:child_process';
import { App } from 'aws-cdk-lib';
import { bundleAdmin, bundleFunctions } from '../lib/bundles.ts';
import { ServiceStack } from '../lib/service-stack.ts';
import { InvalidSettings, type StageSettings, stageSettings } from '../lib/stage-settings.ts';
import { readCommandLine } from './command-line.ts';

readCommandLine(`Usage: npx cdk deploy -c stage=NAME
The app of the CDK, which starts it. docs/operations.md explains what -c accepts.`);

const app = new App();

/** The output of a git command; empty outside a repository, or without git. */
const git = (...args: string[]): string => spawnSync('git', args, { encoding: 'utf8' }).stdout?.trim() ?? '';

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
// The CDK's own sentence, about an account that it cannot resolve, comes after everything is bundled.
if (process.env.CDK_CLI_VERSION && !process.env.CDK_DEFAULT_ACCOUNT) {
  process.stderr.write(
    'No AWS credentials were found, or they have expired. To deploy, log in, or name a profile that has some with --profile.\n',
  );
}
const bundles = await bundleFunctions();
const program = settings.intake && (await bundleAdmin());
const changes = git('status', '--porcelain') === '' ? '' : ' with uncommitted changes';
const commit = `${git('rev-parse', 'HEAD') || 'unknown'}${changes}`;
new ServiceStack(app, `vehicle-verification-${settings.stage}`, { settings, bundles, program, commit });
app.synth();

/** The CDK app, with the CDK stack of one stage, whose settings are in `stages/STAGE.json`: `npx cdk deploy -c stage=dev`. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { bundleFunctions } from '../lib/cloud/bundles.ts';
import { ServiceStack } from '../lib/cloud/service-stack.ts';
import { InvalidSettings, type StageSettings, stageSettings } from '../lib/cloud/stage-settings.ts';

const app = new App();

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
new ServiceStack(app, `vehicle-verification-${settings.stage}`, { settings, bundles });
app.synth();

/** The CDK app. It has one stack per stage: `npx cdk deploy -c stage=dev`. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { bundleFunctions } from '../lib/cloud/bundles.ts';
import { ServiceStack } from '../lib/cloud/service-stack.ts';
import { stageSettings } from '../lib/cloud/stage-settings.ts';

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
const settings = stageSettings(app.node);
// The account and region that the cdk command found; both are absent where it only synthesises.
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
const bundles = await bundleFunctions();
new ServiceStack(app, `vehicle-verification-${settings.stage}`, {
  settings,
  bundles,
  env: { ...(account && { account }), ...(region && { region }) },
});
app.synth();

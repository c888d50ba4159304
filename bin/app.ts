/** The CDK app: one stack per stage, `npx cdk deploy -c stage=dev`. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { bundleFunctions } from '../lib/cloud/bundles.ts';
import { environmentOfDeployment } from '../lib/cloud/deployment-environment.ts';
import { ServiceStack } from '../lib/cloud/service-stack.ts';
import { stageSettings } from '../lib/cloud/stage-settings.ts';

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
const settings = stageSettings(app.node);
const bundles = await bundleFunctions();
new ServiceStack(app, `vehicle-verification-${settings.stage}`, {
  settings,
  bundles,
  env: environmentOfDeployment(),
});
app.synth();

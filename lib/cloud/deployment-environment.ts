import type { Environment } from 'aws-cdk-lib';

/** The account and region of whoever deploys, as the cdk command found them; none when it only synthesises. */
export const environmentOfDeployment = (): Environment => {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  return { ...(account && { account }), ...(region && { region }) };
};

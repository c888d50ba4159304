import { CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild';
import { requireVariables } from './require-variables.ts';

/** Milliseconds. */
const TIMEOUTS = { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true };

const client = new CodeBuildClient({ requestHandler: TIMEOUTS, maxAttempts: 2 });

/**
 * Starts the build that loads waiting files. What the messages say does not matter: the build looks itself.
 * @throws AccountLimitExceededException while a build runs, so that SQS delivers the messages again
 */
export const handler = async (): Promise<void> => {
  const { INTAKE_PROJECT: projectName } = requireVariables(['INTAKE_PROJECT']);
  await client.send(new StartBuildCommand({ projectName }));
};

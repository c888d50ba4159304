import { CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild';
import { environmentWith } from '../../core/runtime/environment.ts';

/** Milliseconds. */
const TIMEOUTS = { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true };

const client = new CodeBuildClient({ requestHandler: TIMEOUTS, maxAttempts: 2 });

/**
 * Starts the build that loads waiting files. It ignores the messages: the build lists the files itself.
 * @throws AccountLimitExceededException while a build runs, so that SQS delivers the messages again
 */
export const handler = async (): Promise<void> => {
  const { INTAKE_PROJECT: projectName } = environmentWith(['INTAKE_PROJECT']);
  await client.send(new StartBuildCommand({ projectName }));
};

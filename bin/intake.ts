/** Loads the files that wait in the bucket of a stage with `intake`. Runs in CodeBuild, bundled, with its environment. */
import { S3Client } from '@aws-sdk/client-s3';
import { MissingEnvironment } from '../core/runtime/environment.ts';
import { EXIT } from '../lib/admin/command/command-result.ts';
import { REQUEST_HANDLER } from '../lib/admin/deployment/database.ts';
import { intakeBucket } from '../lib/intake/bucket.ts';
import { intakeEnvironment } from '../lib/intake/environment.ts';
import { loadWaitingFiles } from '../lib/intake/load-waiting.ts';

const log = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const run = async (): Promise<boolean> => {
  const { account, bucketName, ...environment } = intakeEnvironment();
  const client = new S3Client({ ...account, requestHandler: REQUEST_HANDLER });
  return loadWaitingFiles({ ...environment, bucket: intakeBucket(client, bucketName), log, now: () => new Date() });
};

try {
  process.exitCode = (await run()) ? EXIT.done : EXIT.notDone;
} catch (error) {
  // Any other message may name a file.
  const isSafe = error instanceof MissingEnvironment;
  log({ outcome: 'failed', error: isSafe ? error.message : error instanceof Error ? error.name : typeof error });
  process.exitCode = EXIT.notDone;
}

/** Loads the files that wait in the bucket of a stage with `intake`. Runs in CodeBuild, bundled. */
import { S3Client } from '@aws-sdk/client-s3';
import { EXIT } from '../admin/command/command-result.ts';
import { connect, OTHER_SERVICE_TIMEOUTS } from '../admin/deployment/database.ts';
import type { Deployment } from '../admin/deployment/deployment.ts';
import { intakeBucket } from '../admin/intake/bucket.ts';
import { loadWaitingFiles } from '../admin/intake/load-waiting.ts';
import { DEFAULT_PLANS } from '../core/access/plans.ts';
import { environmentWith, MissingEnvironment, tableNamesFromEnvironment } from '../core/runtime/environment.ts';

const VARIABLES = ['AWS_REGION', 'STACK', 'CONFIRMED_STACK', 'METRICS_NAMESPACE', 'INTAKE_BUCKET', 'INTAKE'] as const;

const log = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const run = (): Promise<boolean> => {
  const environment = environmentWith(VARIABLES);
  const { AWS_REGION: region, STACK: stack, METRICS_NAMESPACE: namespace } = environment;
  const deployment: Deployment = {
    db: connect({ region }),
    plans: DEFAULT_PLANS,
    tableNames: tableNamesFromEnvironment(['vehicles', 'compliance']),
    address: `the stack ${stack} in ${region}`,
    remedy: 'check the stack in the CloudFormation console',
    readCaller: async () => `the intake of ${stack}`,
    aws: { profile: undefined },
    importMetrics: { namespace, account: { region } },
    // Whoever runs this by hand confirms it as any other import.
    guard: { name: stack, given: environment.CONFIRMED_STACK },
  };
  const client = new S3Client({ region, requestHandler: OTHER_SERVICE_TIMEOUTS });
  const bucket = intakeBucket(client, environment.INTAKE_BUCKET);
  return loadWaitingFiles({ entries: JSON.parse(environment.INTAKE), deployment, bucket, log, now: () => new Date() });
};

try {
  process.exitCode = (await run()) ? EXIT.done : EXIT.notDone;
} catch (error) {
  // Any other message may name a file.
  const isSafe = error instanceof MissingEnvironment;
  log({ outcome: 'failed', error: isSafe ? error.message : error instanceof Error ? error.name : typeof error });
  process.exitCode = EXIT.notDone;
}

import { S3Client } from '@aws-sdk/client-s3';
import { CommandFailure } from '../command/command-result.ts';
import { describeAwsError } from '../deployment/aws-errors.ts';
import { OTHER_SERVICE_TIMEOUTS } from '../deployment/database.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { runConcurrently } from '../records/run-concurrently.ts';
import { CHANGES_PREFIX, intakeBucket } from './bucket.ts';

const READS_IN_FLIGHT = 8;

/** A registration of a line of NDJSON, or any other line, which may name several. */
const REGISTRATION = /"registration":"([^"]+)"|^([^{].*)$/gm;

/** The objects with what loads have changed that name one of these vehicles. */
export const findCopies = async (
  registrations: ReadonlySet<string>,
  { deployment: { intake, account }, signal }: CommandContext,
): Promise<readonly string[]> => {
  if (intake === undefined || registrations.size === 0) return [];
  const client = new S3Client({ ...account, requestHandler: OTHER_SERVICE_TIMEOUTS });
  const bucket = intakeBucket(client, intake.bucket);
  const found: string[] = [];
  const search = async (name: string): Promise<void> => {
    const text = (await bucket.text(name)) ?? '';
    const names = text
      .matchAll(REGISTRATION)
      .flatMap(([, inLine, sentence = '']) => (inLine ? [inLine] : sentence.split(/[\s,]+/)));
    if (names.some((one) => registrations.has(one))) found.push(name);
  };
  try {
    const names = (await bucket.list(CHANGES_PREFIX)).map(({ name }) => name);
    await runConcurrently(names, READS_IN_FLIGHT, () => signal.aborted, search);
    return found.sort();
  } catch (error) {
    const reason = describeAwsError(error, account?.profile, 'S3');
    throw new CommandFailure(
      `the vehicles are erased, but what loads have changed was not searched for them: ${reason}`,
      {
        cause: error,
      },
    );
  }
};

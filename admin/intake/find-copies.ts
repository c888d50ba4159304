import { BUCKET_FOLDERS } from '../../core/stage/outputs.ts';
import { normaliseRegistration } from '../../core/vehicles/registration.ts';
import { CommandFailure } from '../command/command-result.ts';
import { describeAwsError } from '../deployment/aws-errors.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { runConcurrently } from '../records/run-concurrently.ts';
import { intakeBucket } from './bucket.ts';

const READS_IN_FLIGHT = 8;

/**
 * A registration of a line of NDJSON, or any other line, which may name several. A rejected line is as it was sent; one
 * that is no JSON is in a string, with a backslash before each quote.
 */
const REGISTRATION = /"registration\\?"\s*:\s*\\?"([^"\\]+)|^([^{].*)$/gm;

/** The objects with what loads have changed that name one of these vehicles. */
export const findCopies = async (
  registrations: ReadonlySet<string>,
  { deployment, signal }: CommandContext,
): Promise<readonly string[]> => {
  const { intake, account } = deployment;
  if (intake === undefined || registrations.size === 0) return [];
  const bucket = intakeBucket(intake, deployment);
  const found: string[] = [];
  const search = async (name: string): Promise<void> => {
    const text = (await bucket.text(name)) ?? '';
    const names = text
      .matchAll(REGISTRATION)
      .flatMap(([, inLine, sentence = '']) => (inLine ? [normaliseRegistration(inLine)] : sentence.split(/[\s,]+/)));
    if (names.some((one) => one !== undefined && registrations.has(one))) found.push(name);
  };
  try {
    const names = (await bucket.list(BUCKET_FOLDERS.changes)).map(({ name }) => name);
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

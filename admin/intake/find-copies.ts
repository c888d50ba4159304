import { BUCKET_FOLDERS } from '../../core/stage/outputs.ts';
import { normaliseRegistration } from '../../core/vehicles/registration.ts';
import { describeAwsError } from '../deployment/aws-errors.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { runConcurrently } from '../records/run-concurrently.ts';
import { intakeBucket, type StoredFile } from './bucket.ts';

const READS_IN_FLIGHT = 8;

/**
 * A registration of a line of NDJSON, or any other line, which may name several. A rejected line is as it was sent; one
 * that is no JSON is in a string, with a backslash before each quote.
 */
const REGISTRATION = /"registration\\?"\s*:\s*\\?"([^"\\]+)|^([^{].*)$/gm;

/**
 * The objects with what loads have changed that name one of these vehicles; undefined, with a notice, when not all were
 * searched.
 */
export const findCopies = async (
  registrations: ReadonlySet<string>,
  { deployment, signal, notice }: CommandContext,
): Promise<readonly string[] | undefined> => {
  const { intake, account } = deployment;
  if (intake === undefined || registrations.size === 0) return [];
  const bucket = intakeBucket(intake, deployment);
  const found: string[] = [];
  const search = async ({ name }: StoredFile): Promise<void> => {
    const text = (await bucket.text(name)) ?? '';
    const names = text
      .matchAll(REGISTRATION)
      .flatMap(([, inLine, sentence = '']) => (inLine ? [normaliseRegistration(inLine)] : sentence.split(/[\s,]+/)));
    if (names.some((one) => one !== undefined && registrations.has(one))) found.push(name);
  };
  let reason = 'it was stopped by Ctrl-C';
  try {
    const files = signal.aborted ? [] : await bucket.list(BUCKET_FOLDERS.changes);
    await runConcurrently(files, READS_IN_FLIGHT, () => signal.aborted, search);
    if (!signal.aborted) return found.sort();
  } catch (error) {
    reason = describeAwsError(error, account?.profile, 'S3');
  }
  notice(`What loads have changed was not searched to the end for copies: ${reason}; the same command searches again.`);
  return undefined;
};

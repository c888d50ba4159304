import type { PresentedKey } from '../../core/access/api-key.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import { clientSettings } from '../../core/aws/aws-transport.ts';
import { type AnswerLetter, deriveSecret, lookupHash, monthSecrets } from '../../core/lookup-log.ts';
import { ApiError, problems } from '../../core/problems.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
import { awsFromEnvironment, environmentWith, optionalVariable } from '../../core/runtime/environment.ts';
import type { HttpRequest } from './request.ts';

/** What is logged of an answer: every endpoint of lookups has one of these. */
type LookupResult = ({ readonly insured: boolean } | { readonly compliant: boolean }) & { readonly code?: string };

interface LookedUp {
  /** The registrations of the request. An invalid one has no key. */
  entries: readonly { readonly key: string | undefined }[];
  /** The answers in the same order; none when the request fails. */
  results: readonly LookupResult[];
  /** The day of the answers when it is another one than today. */
  asOf?: LondonDate | undefined;
}

type Lookup = HttpRequest<{
  caller: Caller;
  key: PresentedKey;
  /** The registration of a single lookup. */
  registration?: LookedUp['entries'][number];
  lookedUp: LookedUp;
  secret?: Promise<Buffer>;
}>;

const letterOf = (result: LookupResult | undefined, error: Lookup['error']): AnswerLetter => {
  if (result === undefined) return error instanceof ApiError && problems[error.code].status === 404 ? 'N' : 'U';
  if (result.code !== undefined) return result.code === 'LOOKUP_UNAVAILABLE' ? 'U' : 'N';
  const isTrue = 'insured' in result ? result.insured : result.compliant;
  return isTrue ? 'T' : 'F';
};

const logLookups = async ({ context, error }: Lookup): Promise<void> => {
  const { caller, deadline, logged, lookedUp } = context;
  if (context.secret === undefined) return;
  // Taken before the wait: the handler of a request that has failed may still be running, and set results.
  const { entries, results, asOf } = lookedUp;
  logged.asOf = asOf;
  const secret = await deadline.within(context.secret);
  const answers = new Map<string, AnswerLetter>();
  for (const [index, { key }] of entries.entries()) {
    if (key !== undefined) answers.set(key, letterOf(results[index], error));
  }
  const lookups = [...answers].map(([key, answer]) => lookupHash(secret, caller.key.id, key) + answer);
  if (lookups.length > 0) logged.lookups = lookups.join(' ');
};

const logFailedLookup = async (request: Lookup): Promise<void> => {
  try {
    await logLookups(request);
  } catch (failure) {
    // Middy would not turn an error that is thrown here into a response. An error that is no answer stays.
    if (request.error instanceof ApiError) request.error = failure as Error;
  }
};

const secretFinder = (key: string) => {
  const { AWS_ENDPOINT_URL_KMS: endpoint } = environmentWith(['AWS_ENDPOINT_URL_KMS']);
  const kms = { ...awsFromEnvironment(), endpoint, transport: clientSettings().requestHandler };
  return monthSecrets((month) => deriveSecret(kms, key, month));
};

/**
 * Adds hashes of the registrations and what was answered to the log line of a lookup with a live key. It does so only
 * where the stage logs lookups. A lookup that cannot be logged is 500.
 * @throws AwsRejection, or the error of the network
 */
export const lookupLog = () => {
  const key = optionalVariable('LOOKUP_LOG_KEY');
  const findSecret = key === undefined ? undefined : secretFinder(key);
  return {
    before: ({ context }: Lookup): void => {
      const { registration, reference, now } = context;
      context.lookedUp = { entries: registration === undefined ? [] : [registration], results: [] };
      if (findSecret === undefined || context.key.kind !== 'live') return;
      context.logged.reference = reference;
      context.secret = findSecret(now);
      // The request may fail before anything awaits this promise, and an unhandled rejection would end the process.
      context.secret.catch(() => undefined);
    },
    ...(findSecret && { after: logLookups, onError: logFailedLookup }),
  };
};

/** What the log says of a lookup, where the setting `lookupLog` is set (docs/operations.md#who-asked-about-a-vehicle). */
import { createHmac } from 'node:crypto';
import { type AwsService, requestJson } from './aws/aws-json.ts';

export const monthOf = (time: Date): string => time.toISOString().slice(0, 'YYYY-MM'.length);

type Kms = Omit<AwsService, 'service' | 'api'>;

/** Derives the secret of a month from the KMS key, which never leaves KMS. @throws AwsRejection, or a network error */
export const deriveSecret = async (kms: Kms, key: string, month: string): Promise<Buffer> => {
  const input = { KeyId: key, MacAlgorithm: 'HMAC_SHA_256', Message: Buffer.from(month).toString('base64') };
  const { Mac } = await requestJson({ ...kms, service: 'kms', api: 'TrentService' }, 'GenerateMac', input);
  if (typeof Mac !== 'string' || Mac === '') throw new Error('The response of KMS has no Mac.');
  return Buffer.from(Mac, 'base64');
};

const FAILURE_MS = 5_000;

/**
 * The secret of the month of a time, derived once. Concurrent requests share the derivation, and its failure is
 * remembered for 5 seconds.
 */
export const monthSecrets = (derive: (month: string) => Promise<Buffer>) => {
  const derived = new Map<string, { readonly secret: Promise<Buffer>; retryAt: number }>();
  return (now: Date): Promise<Buffer> => {
    const known = derived.get(monthOf(now));
    if (known !== undefined && now.getTime() < known.retryAt) return known.secret;
    const next = { secret: derive(monthOf(now)), retryAt: Number.POSITIVE_INFINITY };
    next.secret.catch(() => {
      next.retryAt = now.getTime() + FAILURE_MS;
    });
    derived.set(monthOf(now), next);
    return next.secret;
  };
};

/** Characters of a hash: 96 bits, so that no two lookups of a service have the same one by chance. */
const HASH_LENGTH = 16;

/**
 * The hash of a registration. It contains the key's id, so that a caller who reads the log recognises no lookup of
 * others.
 */
export const lookupHash = (secret: Buffer, keyId: string, registration: string): string =>
  createHmac('sha256', secret).update(`${keyId}${registration}`).digest('base64url').slice(0, HASH_LENGTH);

/** What was answered: insured (compliant), not insured (not compliant), not found, or not read. */
export type AnswerLetter = 'T' | 'F' | 'N' | 'U';

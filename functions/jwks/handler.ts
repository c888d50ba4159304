import { routeNotFound } from '../../core/problems.ts';
import type { PublicJwk } from '../../core/public-key.ts';
import { type SigningSettings, signingFromEnvironment } from '../../core/runtime/environment.ts';
import { KmsFailed, publicKey } from '../../core/signing.ts';
import { servePublic } from '../http/stack.ts';
import { endpoint } from './endpoint.ts';

/**
 * Seconds for which callers may cache the keys. A new key is published for longer than this before it signs
 * (docs/operations.md#signed-answers).
 */
const MAX_AGE = 3_600;

/** The errors of KMS for a key that is disabled or pending deletion. */
const UNUSABLE_KEY = ['DisabledException', 'KMSInvalidStateException'];

const isUnusable = ({ cause }: KmsFailed): boolean => cause instanceof Error && UNUSABLE_KEY.includes(cause.name);

/** The key as a list; empty when it is disabled or pending deletion. @throws KmsFailed on every other error of KMS */
const usablePublicKey = async (keyId: string): Promise<readonly PublicJwk[]> => {
  try {
    return [await publicKey(keyId)];
  } catch (error) {
    if (error instanceof KmsFailed && isUnusable(error)) return [];
    throw error;
  }
};

/** The usable keys of KMS and the retired ones, each key once. */
const readKeys = async ({ keys, retired }: SigningSettings): Promise<readonly PublicJwk[]> => {
  const usable = await Promise.all(keys.map(usablePublicKey));
  const all = [...usable.flat(), ...retired];
  return [...new Map(all.map((key) => [key.kid, key])).values()];
};

/**
 * The published keys, cached by this instance. Without the cache, anybody could make it ask KMS for an unusable key
 * again and again.
 */
let published: { readonly keys: readonly PublicJwk[]; readonly endsAt: number } | undefined;

/** Publishes the keys with which anybody can verify a signed answer (docs/contract.md#signed-answers). */
export const handler = servePublic(endpoint, async ({ now }) => {
  const signing = signingFromEnvironment();
  if (signing === undefined) throw routeNotFound();
  if (published === undefined || published.endsAt <= now.getTime()) {
    published = { keys: await readKeys(signing), endsAt: now.getTime() + MAX_AGE * 1_000 };
  }
  return { body: { keys: published.keys }, headers: { 'Cache-Control': `public, max-age=${MAX_AGE}` } };
});

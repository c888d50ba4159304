import { hashKey, isWellFormedKey, keyIdOf } from './api-key.ts';

/** Id and hash of the well-formed key in a request, which may not exist. The key itself does not leave this file. */
export interface PresentedKey {
  readonly id: string;
  readonly hash: string;
}

const BEARER = /^bearer(?: +|$)/i;

/** The credential of `Authorization: Bearer`; undefined without the header, when it is empty, and for another scheme. */
const bearerCredential = (authorization = ''): string | undefined => {
  const value = authorization.trim();
  return BEARER.test(value) ? value.replace(BEARER, '') : undefined;
};

/**
 * The key of a request, from `Authorization: Bearer <key>` (scheme in any case) or `X-API-Key: <key>` (contract.md "Keys and
 * plans"). An `Authorization` that is empty or of another scheme is ignored, as an empty `X-API-Key` is. `undefined` when
 * there is no key, when it is malformed, and when the two headers differ. Header names are expected in lower case.
 */
export const presentedKey = (headers: Readonly<Record<string, string | undefined>>): PresentedKey | undefined => {
  const bearer = bearerCredential(headers.authorization);
  const apiKey = headers['x-api-key']?.trim() || undefined;
  const key = bearer ?? apiKey;
  if (key === undefined || key !== (apiKey ?? key) || !isWellFormedKey(key)) return undefined;
  const hash = hashKey(key);
  return { id: keyIdOf(hash), hash };
};

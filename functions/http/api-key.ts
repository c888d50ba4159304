import { type PresentedKey, parseApiKey } from '../../core/access/api-key.ts';
import { differentKeys, unauthorized } from '../../core/problems.ts';
import type { HttpRequest } from './request.ts';

const BEARER = /^bearer(?: +|$)/i;

const bearerCredential = (authorization = ''): string | undefined => {
  const value = authorization.trim();
  return BEARER.test(value) ? value.replace(BEARER, '') : undefined;
};

/**
 * The key of a request, from `Authorization: Bearer <key>` (scheme in any case) or `X-API-Key: <key>`
 * (docs/contract.md#keys-and-plans). Ignores empty headers and other schemes. Undefined without a key and for a
 * malformed key.
 * @param headers with names in lower case
 * @throws UNAUTHORIZED when the two headers differ
 */
export const presentedKey = (headers: Readonly<Record<string, string | undefined>>): PresentedKey | undefined => {
  const bearer = bearerCredential(headers.authorization);
  const other = headers['x-api-key']?.trim() || undefined;
  if (bearer && other && bearer !== other) throw differentKeys();
  const key = bearer ?? other;
  return key === undefined ? undefined : parseApiKey(key);
};

/** Rejects a request without a well-formed key before anything is read. @throws UNAUTHORIZED */
export const apiKey = () => ({
  before: ({ context }: HttpRequest<{ key: PresentedKey }>): void => {
    const key = presentedKey(context.headers);
    if (key === undefined) throw unauthorized();
    context.key = key;
  },
});

import { type KeyKind, type PresentedKey, parseApiKey } from '../../core/access/api-key.ts';
import { differentKeys, unauthorized } from '../../core/problems.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
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
  const apiKey = headers['x-api-key']?.trim() || undefined;
  if (bearer && apiKey && bearer !== apiKey) throw differentKeys();
  const key = bearer ?? apiKey;
  return key === undefined ? undefined : parseApiKey(key);
};

/** Rejects a request without a well-formed key before anything is read. @throws UNAUTHORIZED */
export const keyForm = () => ({
  before: ({ context }: HttpRequest<{ key: PresentedKey }>): void => {
    const key = presentedKey(context.headers);
    if (key === undefined) throw unauthorized();
    context.key = key;
  },
});

/** Adds the data that a key of this kind sees, live or sandbox; sandbox vehicles are dated from today. */
export const dataOfKey = <Data extends object>(
  dataFor: (request: { readonly kind: KeyKind; readonly today: LondonDate }) => Data,
) => ({
  before: ({ context }: HttpRequest<{ key: PresentedKey } & Data>): void => {
    Object.assign(context, dataFor({ kind: context.key.kind, today: context.today }));
  },
});

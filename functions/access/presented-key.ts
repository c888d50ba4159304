const BEARER = /^bearer +(\S+)$/i;

/**
 * The key that a request presents, from `Authorization: Bearer <key>` (scheme in any case) or `X-API-Key: <key>`
 * (specification section 5). `undefined` when there is none, when `Authorization` is of another form, or when the two
 * headers disagree; a blank header is none. Header names are expected in lower case.
 */
export const presentedKey = (headers: Readonly<Record<string, string | undefined>>): string | undefined => {
  const authorization = headers.authorization?.trim();
  const apiKey = headers['x-api-key']?.trim();
  if (!authorization) return apiKey || undefined;
  const bearer = BEARER.exec(authorization)?.[1];
  return !apiKey || apiKey === bearer ? bearer : undefined;
};

const BEARER = /^bearer +(\S+)$/i;

/**
 * The key that a request presents, from `Authorization: Bearer <key>` (scheme in any case) or `X-API-Key: <key>`
 * (specification section 5). `undefined` when there is none, when `Authorization` is of another form, or when the two
 * headers disagree. Header names are expected in lower case.
 */
export const presentedKey = (headers: Readonly<Record<string, string | undefined>>): string | undefined => {
  const { authorization, 'x-api-key': apiKey } = headers;
  if (authorization === undefined) return apiKey?.trim() || undefined;
  const bearer = BEARER.exec(authorization.trim())?.[1];
  return apiKey === undefined || apiKey.trim() === bearer ? bearer : undefined;
};

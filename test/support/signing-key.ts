import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A key of a service that signs its answers. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** The public key as in a key set. */
  readonly jwk: Readonly<Record<string, unknown>>;
}

export const makeSigningKey = (): SigningKey => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');
  return { kid, privateKey, jwk: { kty: 'EC', crv: 'P-256', x, y, kid, use: 'sig', alg: 'ES256' } };
};

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A compact JWS, by default as the service makes it. `changes` are of its header. */
export const signToken = (
  { kid, privateKey }: SigningKey,
  claims: object,
  changes: object = {},
  signer = (text: string) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }),
): string => {
  const text = `${encode({ alg: 'ES256', typ: 'vehicle-answer+jwt', kid, ...changes })}.${encode(claims)}`;
  return `${text}.${signer(text).toString('base64url')}`;
};

export const claimsOf = (method: string, path: string, answer: unknown, status = 200) => ({
  iss: 'https://api.example.com',
  aud: 'key-1',
  iat: Date.UTC(2026, 10, 22, 12) / 1_000,
  jti: 'request-1',
  request: { method, path, query: '' },
  status,
  answer,
});

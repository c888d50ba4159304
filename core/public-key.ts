/**
 * The public keys of signed answers, in the form in which they are published. Imports no SDK, because the schema of the
 * stages' settings imports this file.
 */
import { createHash, createPublicKey } from 'node:crypto';

/** A P-256 public key as a JWK (RFC 7517) with its thumbprint as `kid` (RFC 7638). */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'ES256';
}

/** The JWK of a point on P-256. @throws Error when the point is not on the curve */
export const publicJwk = ({ x = '', y = '' }: { readonly x?: string; readonly y?: string }): PublicJwk => {
  const point = { kty: 'EC', crv: 'P-256', x, y } as const;
  createPublicKey({ key: point, format: 'jwk' });
  // RFC 7638 fixes the members of a thumbprint and their order.
  const members = JSON.stringify({ crv: point.crv, kty: point.kty, x, y });
  const kid = createHash('sha256').update(members).digest('base64url');
  return { ...point, kid, use: 'sig', alg: 'ES256' };
};

/** Whether the point is on the curve, and `kid` its thumbprint. */
export const isPublicJwk = (key: { readonly x: string; readonly y: string; readonly kid: string }): boolean => {
  try {
    return publicJwk(key).kid === key.kid;
  } catch {
    return false;
  }
};

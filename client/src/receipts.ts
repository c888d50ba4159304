import { isValidClaims } from './answers.ts';

/** The claims of a receipt. */
export interface ReceiptClaims {
  /** Who has signed: the origin of the service. */
  readonly iss: string;
  /** The id of the key that asked. */
  readonly aud: string;
  /** Unix seconds of the answer. */
  readonly iat: number;
  /** The id of the request. */
  readonly jti: string;
  /** `query` as it was sent, without the question mark. */
  readonly request: { readonly method: string; readonly path: string; readonly query?: string };
  readonly status: number;
  /** The JSON of the answer, or of the problem when the status is 404. */
  readonly answer: unknown;
  /** Whether the answer is about sandbox vehicles. */
  readonly sandbox?: boolean;
}

/** A receipt that does not hold. The message is a sentence with the reason. */
export class InvalidReceipt extends Error {
  override readonly name: string = 'InvalidReceipt';
  /** Whether a part is missing. */
  readonly isIncomplete: boolean;

  constructor(message: string, isIncomplete = false) {
    super(message);
    this.isIncomplete = isIncomplete;
  }
}

/** A receipt whose key is not in the key set. */
export class UnknownSigningKey extends InvalidReceipt {}

type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The keys of a key set by id; undefined where the id is not the thumbprint, or the key is for something else. */
export type KeySet = ReadonlyMap<string, PublicKey | undefined>;

const TYPE = 'vehicle-answer+jwt';
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };
/** Bytes of an ES256 signature. */
const SIGNATURE_BYTES = 64;

/** Characters of a text in a message. */
const MAX_SHOWN = 100;

/** Any value for a message: a text in quotes, and cut, of others only the type. */
export const describeValue = (value: unknown): string => {
  if (typeof value !== 'string') return typeof value;
  return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
};

const toBase64Url = (binary: string): string =>
  btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** The bytes of base64url; undefined for any other text, also for one with bits that belong to no byte. */
const bytesOf = (text: string) => {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return toBase64Url(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(text)));
  } catch {
    return undefined;
  }
};

/** The RFC 7638 thumbprint of a P-256 key. */
const computeThumbprint = async ({ x, y }: { readonly x: string; readonly y: string }): Promise<string> => {
  const text = new TextEncoder().encode(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }));
  return toBase64Url(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest('SHA-256', text))));
};

/** Undefined when it is not a point of the curve. */
const importKey = (key: object): Promise<PublicKey | undefined> =>
  crypto.subtle.importKey('jwk', key, CURVE, false, ['verify']).catch(() => undefined);

/** Whether a key says nothing of its use, or that it verifies ES256 (RFC 7517, section 4). */
const isForReceipts = ({ use = 'sig', alg = 'ES256', key_ops = ['verify'] }: Readonly<Record<string, unknown>>) =>
  use === 'sig' && alg === 'ES256' && Array.isArray(key_ops) && key_ops.includes('verify');

/** Reads a JWKS without keys of other kinds. @throws InvalidReceipt when it has no key for receipts */
export const readKeySet = async (jwks: unknown): Promise<KeySet> => {
  const { keys } = (jwks ?? {}) as { keys?: unknown };
  const found = new Map<string, PublicKey | undefined>();
  for (const key of Array.isArray(keys) ? keys.filter((key) => key instanceof Object) : []) {
    const { kty, crv, x, y, kid } = key;
    if (kty !== 'EC' || crv !== 'P-256' || typeof kid !== 'string') continue;
    const isUsable = isForReceipts(key) && kid === (await computeThumbprint({ x, y }));
    found.set(kid, found.get(kid) ?? (isUsable ? await importKey({ kty, crv, x, y }) : undefined));
  }
  if (found.size === 0) throw new InvalidReceipt('The key set has no P-256 key with an id.');
  return found;
};

const requireES256 = (alg: unknown): void => {
  if (alg === 'ES256') return;
  if (typeof alg !== 'string') throw new InvalidReceipt(`The receipt names no algorithm (alg ${describeValue(alg)}).`);
  if (alg.toLowerCase() === 'none') {
    throw new InvalidReceipt('The receipt has no signature (alg "none"): anybody can have written it.');
  }
  if (/^HS\d{3}$/.test(alg)) {
    throw new InvalidReceipt(
      `The receipt is signed with ${alg}, a shared secret: anybody can have taken the public key for it.`,
    );
  }
  throw new InvalidReceipt(`The receipt is signed with ${describeValue(alg)}, not with ES256.`);
};

/** The claims of a receipt whose signature holds. Does not check issuer and sandbox. @throws InvalidReceipt */
export const readReceipt = async (receipt: string, keys: KeySet): Promise<ReceiptClaims> => {
  const parts = receipt.split('.');
  const [head = '', payload = '', signature = ''] = parts;
  const header = parseJson(head) as { alg?: unknown; typ?: unknown; kid?: unknown; crit?: unknown } | null | undefined;
  const bytes = bytesOf(signature);
  const malformed = (isIncomplete: boolean) =>
    new InvalidReceipt('The receipt was changed, or is none: it has not the form of a signed answer.', isIncomplete);
  if (parts.length < 3) throw malformed(true);
  if (parts.length > 3 || !(header instanceof Object)) throw malformed(false);
  requireES256(header.alg);
  if (header.typ !== TYPE) {
    throw new InvalidReceipt(`The receipt has the type ${describeValue(header.typ)}, not "${TYPE}".`);
  }
  // RFC 7515, section 4.1.11: whoever does not know a critical extension rejects the JWS.
  if (header.crit !== undefined) {
    throw new InvalidReceipt('The receipt requires extensions that no signed answer has (crit).');
  }
  const { kid } = header;
  if (typeof kid !== 'string') throw new InvalidReceipt(`The receipt names no key (kid ${describeValue(kid)}).`);
  if (!keys.has(kid)) {
    throw new UnknownSigningKey(`The receipt names the key ${describeValue(kid)}, which is not in the key set.`);
  }
  const key = keys.get(kid);
  if (key === undefined) {
    throw new InvalidReceipt(
      `The key set has another key in the place of ${describeValue(kid)}, or says that this key is for something else.`,
    );
  }
  if (bytes?.length !== SIGNATURE_BYTES) throw malformed(signature.length < (SIGNATURE_BYTES * 4) / 3);
  const claims = parseJson(payload);
  const isWhole = isValidClaims(claims);
  const signed = new TextEncoder().encode(`${head}.${payload}`);
  if (!(await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes, signed))) {
    // A change that leaves the claims whole looks like the signature of another key.
    const otherKey = isWhole ? `, or another key than ${describeValue(kid)} has signed it` : '';
    throw new InvalidReceipt(`The receipt was changed after it was signed${otherKey}.`);
  }
  if (isWhole) return claims as ReceiptClaims;
  throw new InvalidReceipt('The receipt lacks something that every signed answer has.');
};

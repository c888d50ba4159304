export interface ReceiptClaims {
  /** The origin of the service that has signed. */
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

/** A receipt that is not valid. The message is a sentence with the reason. */
export class InvalidReceipt extends Error {
  override readonly name: string = 'InvalidReceipt';
}

/** A receipt whose key is not in the key set. */
export class UnknownSigningKey extends InvalidReceipt {}

type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The keys of a key set by id. */
export type KeySet = ReadonlyMap<string, PublicKey>;

const TYPE = 'vehicle-answer+jwt';
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };

/** Maximum number of characters of a text in a message. */
const MAX_SHOWN = 100;

/** Describes a value for a message: a string in quotes and shortened, any other value by its type only. */
export const describeValue = (value: unknown): string => {
  if (typeof value !== 'string') return typeof value;
  return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
};

const toBase64Url = (binary: string): string =>
  btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Decodes base64url; undefined for any other text, and for a text with bits that belong to no byte. */
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

/** Whether a key may verify receipts: it names no use, or signatures with ES256 (RFC 7517, section 4). */
const isForReceipts = ({ use = 'sig', alg = 'ES256', key_ops = ['verify'] }: Readonly<Record<string, unknown>>) =>
  use === 'sig' && alg === 'ES256' && Array.isArray(key_ops) && key_ops.includes('verify');

/**
 * Reads the keys of a JWKS that are for receipts, and whose id is their thumbprint.
 * @throws InvalidReceipt when there is none
 */
export const readKeySet = async (jwks: unknown): Promise<KeySet> => {
  const { keys } = (jwks ?? {}) as { keys?: unknown };
  const found = new Map<string, PublicKey>();
  for (const key of Array.isArray(keys) ? keys : []) {
    const { kty, crv, x, y, kid } = key ?? {};
    if (kty !== 'EC' || crv !== 'P-256' || !isForReceipts(key) || kid !== (await computeThumbprint({ x, y }))) continue;
    const imported = await importKey({ kty, crv, x, y });
    if (imported !== undefined) found.set(kid, imported);
  }
  if (found.size === 0) throw new InvalidReceipt('The key set has no key for receipts.');
  return found;
};

/** The last second that a `Date` can have (ECMA-262, Time Values and Time Range). */
const MAX_SECONDS = 8_640_000_000_000;

/** Whether the signed claims have everything that this client reads. */
const isComplete = ({ iss, aud, jti, iat, status, request, answer }: Readonly<Record<string, unknown>>): boolean =>
  [iss, aud, jti].every((claim) => typeof claim === 'string') &&
  Number.isInteger(iat) &&
  Math.abs(Number(iat)) <= MAX_SECONDS &&
  typeof status === 'number' &&
  request instanceof Object &&
  answer instanceof Object;

/**
 * Verifies the signature of a receipt and returns its claims. Does not check issuer and sandbox. @throws InvalidReceipt
 */
export const readReceipt = async (receipt: string, keys: KeySet): Promise<ReceiptClaims> => {
  const [head = '', payload = '', signature = '', ...more] = receipt.split('.');
  const header = parseJson(head);
  if (more.length > 0 || !(header instanceof Object)) {
    throw new InvalidReceipt('The receipt was changed, or is none: it has not the form of a signed answer.');
  }
  const { alg, typ, kid, crit } = header as Readonly<Record<string, unknown>>;
  // Only ES256 is accepted, whatever algorithm the receipt names: a forged one could name a weak algorithm.
  if (alg !== 'ES256') throw new InvalidReceipt(`The receipt is signed with ${describeValue(alg)}, not with ES256.`);
  if (typ !== TYPE) throw new InvalidReceipt(`The receipt has the type ${describeValue(typ)}, not "${TYPE}".`);
  // RFC 7515, section 4.1.11: whoever does not know a critical extension rejects the JWS.
  if (crit !== undefined) {
    throw new InvalidReceipt('The receipt requires extensions that no signed answer has (crit).');
  }
  const key = keys.get(kid as string);
  if (key === undefined) {
    throw new UnknownSigningKey(`The key set has no key for receipts with the id ${describeValue(kid)}.`);
  }
  const signed = new TextEncoder().encode(`${head}.${payload}`);
  const bytes = bytesOf(signature) ?? new Uint8Array();
  if (!(await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes, signed))) {
    throw new InvalidReceipt('The receipt is cut off, was changed, or another key has signed it.');
  }
  const claims = parseJson(payload);
  if (claims instanceof Object && isComplete({ ...claims })) return claims as ReceiptClaims;
  throw new InvalidReceipt('The receipt lacks something that every signed answer has.');
};

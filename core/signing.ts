/**
 * Signs answers with keys of AWS KMS. Bundled as a file of its own (lib/bundles.ts), which is loaded at the first
 * signature.
 */
import { createHash, createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { clientSettings } from './dynamodb/aws-transport.ts';
import { type PublicJwk, publicJwk } from './public-key.ts';
import { awsFromEnvironment } from './runtime/environment.ts';

/** KMS did not sign or return a key, for the reason in `cause`. */
export class KmsFailed extends Error {
  override readonly name = 'KmsFailed';
}

let shared: KMSClient | undefined;

const client = (): KMSClient => {
  const { region, credentials } = awsFromEnvironment();
  shared ??= new KMSClient({ region, credentials, ...clientSettings() });
  return shared;
};

const asKmsFailed = (cause: unknown): never => {
  throw new KmsFailed('KMS did not sign or return a key', { cause });
};

const readPublicKey = async (keyId: string): Promise<PublicJwk> => {
  const { PublicKey } = await client()
    .send(new GetPublicKeyCommand({ KeyId: keyId }))
    .catch(asKmsFailed);
  const der = { key: Buffer.from(PublicKey ?? []), format: 'der', type: 'spki' } as const;
  return publicJwk(createPublicKey(der).export({ format: 'jwk' }));
};

const publicKeyReads = new Map<string, Promise<PublicJwk>>();

/**
 * The public key of a KMS key. Read once per instance: it never changes.
 * @throws KmsFailed
 */
export const publicKey = (keyId: string): Promise<PublicJwk> => {
  const reading =
    publicKeyReads.get(keyId) ??
    readPublicKey(keyId).catch((error: unknown) => {
      publicKeyReads.delete(keyId);
      throw error;
    });
  publicKeyReads.set(keyId, reading);
  return reading;
};

/** Bytes of each of the two integers of an ES256 signature. */
const INTEGER_BYTES = 32;

/** The 64 bytes of a JWS (RFC 7518, section 3.4) from KMS's DER: two integers, with sign and without leading zeros. */
export const rawSignature = (der: Buffer): Buffer => {
  const end = 4 + der.readUInt8(3);
  const integers = [der.subarray(4, end), der.subarray(end + 2)];
  return Buffer.concat(
    integers.map((integer) => Buffer.concat([Buffer.alloc(INTEGER_BYTES), integer]).subarray(-INTEGER_BYTES)),
  );
};

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The claims as a compact JWS of type `typ`, signed with ES256. @throws KmsFailed */
export const sign = async (keyId: string, typ: string, claims: object): Promise<string> => {
  const { kid } = await publicKey(keyId);
  const input = `${encoded({ alg: 'ES256', typ, kid })}.${encoded(claims)}`;
  const command = new SignCommand({
    KeyId: keyId,
    // KMS would hash the text itself, but accepts at most 4,096 bytes of text.
    MessageType: 'DIGEST',
    Message: createHash('sha256').update(input).digest(),
    SigningAlgorithm: 'ECDSA_SHA_256',
  });
  const { Signature } = await client().send(command).catch(asKmsFailed);
  return `${input}.${rawSignature(Buffer.from(Signature ?? [])).toString('base64url')}`;
};

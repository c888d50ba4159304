/** A KMS on this machine with one P-256 key: the operations that sign answers. */
import { createECDH, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProtocolServer } from './engine/http-server.ts';
import { unknownOperation } from './engine/protocol.ts';
import { CannotStart } from './options.ts';

/** The key in the folder, created if it is missing; without a folder a new one. @throws CannotStart */
const signingKey = async (dataDirectory?: string): Promise<KeyObject> => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (dataDirectory === undefined) return privateKey;
  const file = join(dataDirectory, 'signing-key.pem');
  try {
    if (existsSync(file)) return createPrivateKey(await readFile(file, 'utf8'));
    await writeFile(file, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    return privateKey;
  } catch (error) {
    throw new CannotStart(
      `The key of signed answers in ${file} cannot be used (${(error as Error).message}): delete it to get a new one, with which earlier answers cannot be verified.`,
    );
  }
};

/** The order of the group of P-256 (FIPS 186-5). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const integer = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);

/** The inverse modulo `ORDER`, by Fermat's little theorem. */
const inverse = (value: bigint): bigint => {
  let [result, base] = [1n, value];
  for (let power = ORDER - 2n; power > 0n; power >>= 1n) {
    if (power & 1n) result = (result * base) % ORDER;
    base = (base * base) % ORDER;
  }
  return result;
};

const derInteger = (value: bigint): Buffer => {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  // A first bit of 1 would be a minus sign.
  const unsigned = bytes.readUInt8(0) > 0x7f ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
  return Buffer.concat([Buffer.of(0x02, unsigned.length), unsigned]);
};

/** ECDSA of a digest, in DER like KMS. `sign` of Node hashes what it gets. */
const signDigest = (key: KeyObject, digest: Buffer): Buffer => {
  const secret = integer(Buffer.from(String(key.export({ format: 'jwk' }).d), 'base64url'));
  const nonce = createECDH('prime256v1');
  const point = nonce.generateKeys();
  const r = integer(point.subarray(1, 33)) % ORDER;
  const s = (inverse(integer(nonce.getPrivateKey())) * (integer(digest) + r * secret)) % ORDER;
  const integers = Buffer.concat([derInteger(r), derInteger(s)]);
  return Buffer.concat([Buffer.of(0x30, integers.length), integers]);
};

/** Starts a KMS on a free port. Its key is stored in the folder, if there is one. @throws CannotStart */
export const startKms = async (dataDirectory?: string) => {
  const key = await signingKey(dataDirectory);
  const { origin, close } = await startProtocolServer(async (operation, input) => {
    if (operation === 'GetPublicKey') {
      const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
      return { status: 200, body: { PublicKey: der.toString('base64') } };
    }
    if (operation !== 'Sign') throw unknownOperation();
    const signature = signDigest(key, Buffer.from(String(input.Message), 'base64'));
    return { status: 200, body: { Signature: signature.toString('base64') } };
  });
  return { endpoint: origin, close };
};

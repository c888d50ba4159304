/**
 * API keys as text: `vvc_<env>_`, 30 random base62 characters, then their CRC32 in 6 base62 characters, so that a
 * scanner recognises a leaked key and a typo is rejected before any database call (docs/contract.md#keys-and-plans).
 */
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What the prefix of a key can say. */
export const KEY_ENVIRONMENTS = ['live', 'test'] as const;

export type KeyEnvironment = (typeof KEY_ENVIRONMENTS)[number];

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^(vvc_(?:live|test)_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;
const TEST_PREFIX = 'vvc_test_';
/** Hex digits of the hash that identify a key: enough to be unique. */
const ID_LENGTH = 20;

const checksumOf = (unchecked: string): string => {
  let rest = crc32(unchecked);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
};

/** A new key from a cryptographic source. It is shown once; only its hash is stored. */
export const generateKey = (environment: KeyEnvironment): string => {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  const unchecked = `vvc_${environment}_${random}`;
  return unchecked + checksumOf(unchecked);
};

/** Whether the text has the shape of a key and the right checksum. The key may still not exist. */
export const isWellFormedKey = (text: string): boolean => {
  const [, unchecked, checksum] = SHAPE.exec(text) ?? [];
  return unchecked !== undefined && checksum === checksumOf(unchecked);
};

/** SHA-256 of a key in hex, which is stored instead of the key. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** The id of a key's record, from the key's hash. */
export const keyIdOf = (hash: string): string => hash.slice(0, ID_LENGTH);

/** Of the well-formed key in a request, which may not exist. The key itself does not leave this file. */
export interface PresentedKey {
  readonly id: string;
  readonly hash: string;
  /** From the prefix: known before the key's record is read. The hash includes it, so a valid key's record has the same. */
  readonly environment: KeyEnvironment;
}

/** Of a key's text. `undefined` unless it is well-formed; the key may still not exist. */
export const parseApiKey = (text: string): PresentedKey | undefined => {
  if (!isWellFormedKey(text)) return undefined;
  const hash = hashKey(text);
  return { id: keyIdOf(hash), hash, environment: text.startsWith(TEST_PREFIX) ? 'test' : 'live' };
};

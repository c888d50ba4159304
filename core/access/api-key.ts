/**
 * API keys as text: `vvc_<kind>_`, 30 random base62 characters, and their CRC32 in 6 more. A scanner recognises a
 * leaked key, and a typo is rejected before any database call (docs/contract.md#keys-and-plans).
 */
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const KEY_ENVIRONMENTS = ['live', 'test'] as const;

export type KeyEnvironment = (typeof KEY_ENVIRONMENTS)[number];

/** Keys of the service's probe see the sandbox's vehicles and content of their own. */
export const KEY_KINDS = [...KEY_ENVIRONMENTS, 'probe'] as const;

export type KeyKind = (typeof KEY_KINDS)[number];

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const KEY_PATTERN = /^(vvc_(live|test|probe)_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** The prefix of the ids of the probe's keys. The probe's role can put no records with other ids (lib/probe.ts). */
export const PROBE_ID_PREFIX = 'probe-';

const ID_LENGTH = 20;

const computeChecksum = (unchecked: string): string => {
  let rest = crc32(unchecked);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
};

/** A new key from a cryptographic source. It is shown once; only its hash is stored. */
export const generateKey = (kind: KeyKind): string => {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  const unchecked = `vvc_${kind}_${random}`;
  return unchecked + computeChecksum(unchecked);
};

export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

export const keyIdOf = (hash: string, kind: KeyKind): string =>
  (kind === 'probe' ? PROBE_ID_PREFIX : '') + hash.slice(0, ID_LENGTH);

export const newApiKey = (kind: KeyKind): { readonly key: string; readonly id: string; readonly hash: string } => {
  const key = generateKey(kind);
  const hash = hashKey(key);
  return { key, id: keyIdOf(hash, kind), hash };
};

/** The well-formed key of a request, which may not exist. The key itself is not passed on. */
export interface PresentedKey {
  readonly id: string;
  readonly hash: string;
  /** From the prefix, which is part of the hash: a record belongs to keys of one kind. */
  readonly kind: KeyKind;
}

/** Parses the key of a request. Undefined unless the text has the form of a key and a correct checksum. */
export const parseApiKey = (text: string): PresentedKey | undefined => {
  const [, unchecked = '', prefix, checksum] = KEY_PATTERN.exec(text) ?? [];
  if (checksum !== computeChecksum(unchecked)) return undefined;
  const kind = prefix as KeyKind;
  const hash = hashKey(text);
  return { id: keyIdOf(hash, kind), hash, kind };
};

/** Searches logs for what must not be in them, in every form in which it could get there. */
import { createHash } from 'node:crypto';
import { MARKER, type Sent } from './canary-api.ts';

interface Leak {
  readonly form: string;
  readonly line: string;
}

const PUBLIC_HASH_DIGITS = 20;
const BITS = { byte: 8, digit: 6 };

/** The digits of base64 that stand for a text wherever in a longer one it is. */
const base64Forms = (text: string): string[] =>
  [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const [start, end] = [
      Math.ceil((offset * BITS.byte) / BITS.digit),
      Math.floor((bytes.length * BITS.byte) / BITS.digit),
    ];
    return [bytes.toString('base64').slice(start, end), bytes.toString('base64url').slice(start, end)];
  });

const sha256 = (text: string) => createHash('sha256').update(text);

const hashForms = (text: string): string[] => [
  sha256(text)
    .digest('hex')
    .slice(0, PUBLIC_HASH_DIGITS + 1),
  sha256(text)
    .digest('hex')
    .slice(PUBLIC_HASH_DIGITS, 2 * PUBLIC_HASH_DIGITS),
  sha256(text).digest('base64').slice(0, PUBLIC_HASH_DIGITS),
];

/** `vvc_live_` and the checksum are not secret; the random part is, and any half of it. */
const keyForms = (key: string): string[] => {
  const random = key.slice('vvc_live_'.length, -6);
  const half = random.length / 2;
  return [random.slice(0, half), random.slice(half), ...base64Forms(random)];
};

/** The text without what registrations may be written with. */
const joined = (text: string): string => text.replaceAll(/[ .·-]|%20|%C2%B7/gi, '');

const findIn = (log: string, text: string, form: string): Leak[] => {
  const at = log.indexOf(text);
  if (at < 0) return [];
  return [{ form, line: log.slice(log.lastIndexOf('\n', at) + 1).split('\n', 1)[0] ?? '' }];
};

/** Every secret that a log holds, with a line for each form in which it was found. */
export const leaksIn = (log: string, { words, keys }: Pick<Sent, 'words' | 'keys'>): Leak[] => {
  const lower = log.toLowerCase();
  return [
    ...findIn(lower, MARKER, 'a canary, in whatever case or URL encoding'),
    ...findIn(joined(lower), MARKER, 'a canary, written with separators'),
    ...[MARKER, MARKER.toUpperCase()].flatMap(base64Forms).flatMap((form) => findIn(log, form, 'a canary in base64')),
    ...words
      .flatMap((word) => [word, word.toUpperCase()])
      .flatMap(hashForms)
      .flatMap((form) => findIn(log, form, 'the hash of a canary')),
    ...keys.flatMap(keyForms).flatMap((form) => findIn(log, form, 'a key')),
    ...keys.flatMap(hashForms).flatMap((form) => findIn(log, form, 'more of a key’s hash than its id')),
  ];
};

import { normaliseRegistration } from '../../../../core/vehicles/registration.ts';
import type { Row } from '../../files/row.ts';

/** A key as two unsigned 32-bit numbers. */
export interface Fingerprint {
  readonly high: number;
  readonly low: number;
}

/** Words of an entry: high, low, line. A line of 0 marks an empty place. */
const ENTRY_WORDS = 3;
const SMALLEST_CAPACITY = 1_024;
/** Above this share of places taken, looking for a free one gets slow. */
const MAX_LOAD = 0.7;

const powerOfTwoFrom = (least: number): number => 2 ** Math.ceil(Math.log2(Math.max(SMALLEST_CAPACITY, least)));

/**
 * Remembers on which line each key was first seen. A table of numbers with open addressing: 1,000,000 keys take 25 MB,
 * where a Map of strings takes above 100 MB and the garbage collector's time. Made for the number of keys expected, so
 * that memory does not grow while the file is read; it grows all the same when there are more.
 */
export const firstLines = (expectedKeys: number) => {
  let capacity = powerOfTwoFrom(expectedKeys / MAX_LOAD);
  let entries = new Uint32Array(capacity * ENTRY_WORDS);
  let size = 0;

  /** The place of a key: its own, or the empty one where it belongs. */
  const placeOf = ({ high, low }: Fingerprint): number => {
    let slot = (Math.imul(high ^ Math.imul(low, 0x9e3779b1), 0x85ebca6b) >>> 7) & (capacity - 1);
    for (;;) {
      const place = slot * ENTRY_WORDS;
      if (entries[place + 2] === 0 || (entries[place] === high && entries[place + 1] === low)) return place;
      slot = (slot + 1) & (capacity - 1);
    }
  };

  const put = (place: number, { high, low }: Fingerprint, line: number): void => {
    entries[place] = high;
    entries[place + 1] = low;
    entries[place + 2] = line;
  };

  const grow = (): void => {
    const old = entries;
    capacity *= 2;
    entries = new Uint32Array(capacity * ENTRY_WORDS);
    for (let at = 0; at < old.length; at += ENTRY_WORDS) {
      const [high = 0, low = 0, line = 0] = old.subarray(at, at + ENTRY_WORDS);
      if (line > 0) put(placeOf({ high, low }), { high, low }, line);
    }
  };

  return {
    /** The line on which the key was seen first. */
    find: (key: Fingerprint): number | undefined => entries[placeOf(key) + 2] || undefined,

    /** The line on which the key was seen before; otherwise `undefined`, and this line is remembered. */
    claim: (key: Fingerprint, line: number): number | undefined => {
      const place = placeOf(key);
      const earlier = entries[place + 2];
      if (earlier) return earlier;
      put(place, key, line);
      size += 1;
      if (size > capacity * MAX_LOAD) grow();
      return undefined;
    },
  };
};

/** The normalised registration of a row; undefined when it is missing or invalid. */
export const registrationOf = ({ fields }: Row): string | undefined =>
  typeof fields.registration === 'string' ? normaliseRegistration(fields.registration) : undefined;

/** Every character of a normalised registration: 40, so that six fit into 32 bits (sum of 40^0 … 40^6 < 2^32). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ÄÖÜÅ';
const HALF_LENGTH = 6;
const digits = new Map([...ALPHABET].map((character, index) => [character.charCodeAt(0), index + 1]));

const pack = (text: string, from: number, to: number): number => {
  let packed = 0;
  for (let at = from; at < to; at += 1) packed = packed * ALPHABET.length + (digits.get(text.charCodeAt(at)) ?? 0);
  return packed;
};

/** A normalised registration in 64 bits. Exact: two registrations never have the same fingerprint. */
export const registrationFingerprint = (registration: string): Fingerprint => ({
  high: pack(registration, 0, Math.min(HALF_LENGTH, registration.length)),
  low: pack(registration, HALF_LENGTH, registration.length),
});

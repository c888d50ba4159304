import { normaliseRegistration } from '../../../../functions/vehicles/registration.ts';
import type { Row } from '../../files/row.ts';
import type { Fingerprint } from './first-lines.ts';

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

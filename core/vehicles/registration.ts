import { type ApiError, invalidRegistration } from '../problems.ts';

/** A normalised registration: vehicles are stored under it. Only this file makes one. As sent, it is a `string`. */
export type RegistrationKey = string & { readonly type: 'RegistrationKey' };

/** Longest text, in characters, that is still looked at as a registration. */
const MAX_RAW_LENGTH = 32;
/** What people write between the groups of a registration: space, hyphen, dot, middle dot. */
const SEPARATORS = /[ \-.\u00b7]/g;
const LETTERS_AND_DIGITS = /^[A-Za-z0-9ÄÖÜÅäöüå]*$/;
const OTHER_CHARACTERS = /[^A-Za-z0-9ÄÖÜÅäöüå]/g;
/** Letters and digits of the longest registration. */
const MAX_LENGTH = 12;
const ASCII_LETTER_OR_DIGIT = /[A-Za-z0-9]/;

const withoutSeparators = (raw: string): string => raw.normalize('NFC').replace(SEPARATORS, '');

/**
 * The key of a registration as people write it, or `undefined` when it cannot be one.
 * `ab12 cde`, `AB12-CDE` and `AB12CDE` are one vehicle; O and 0, I and 1 stay apart (docs/contract.md#registrations).
 * The text is taken as it arrived: path values come decoded from the gateway and are never decoded again.
 */
export const normaliseRegistration = (raw: string): RegistrationKey | undefined => {
  // Counts UTF-16 units: no registration has a character that takes two.
  if (raw.length > MAX_RAW_LENGTH) return undefined;
  const compact = withoutSeparators(raw);
  const isValid =
    compact.length <= MAX_LENGTH && LETTERS_AND_DIGITS.test(compact) && ASCII_LETTER_OR_DIGIT.test(compact);
  return isValid ? (compact.toUpperCase() as RegistrationKey) : undefined;
};

/** All letters and digits of a text, written as in a normalised registration. */
export const lettersAndDigits = (text: string): string =>
  text.normalize('NFC').replace(OTHER_CHARACTERS, '').toUpperCase();

/** The key of a stored record, whose registration was normalised before it was stored. */
export const storedRegistrationKey = ({ registration }: Readonly<Record<string, unknown>>): RegistrationKey =>
  String(registration) as RegistrationKey;

/** Why a text is not a registration, for operators. */
export const registrationIssue = (raw: string): string => {
  if (raw.trim() === '') return 'must not be blank';
  return LETTERS_AND_DIGITS.test(withoutSeparators(raw))
    ? 'must have 1 to 12 letters or digits, at least one of them from A to Z or 0 to 9'
    : 'may contain only letters (A to Z, Ä, Ö, Ü, Å), digits, spaces, hyphens and dots';
};

/** The error of a path without a valid registration; undefined with one. */
export const registrationError = ({ registration = '' }: { readonly registration?: string }): ApiError | undefined =>
  normaliseRegistration(registration) === undefined ? invalidRegistration() : undefined;

/** @throws INVALID_REGISTRATION */
export const requireRegistration = (raw: string): RegistrationKey => {
  const registration = normaliseRegistration(raw);
  if (registration === undefined) throw invalidRegistration();
  return registration;
};

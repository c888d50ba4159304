import { codePointOf } from '../code-point.ts';
import { type ApiError, invalidRegistration } from '../problems.ts';

/**
 * A normalised registration, under which a vehicle is stored. Only this file makes values of this type. A registration
 * as it was sent is a `string`.
 */
export type RegistrationKey = string & { readonly type: 'RegistrationKey' };

/** Maximum length of a text that may be a registration, with separators. */
const MAX_RAW_LENGTH = 32;
/**
 * Characters that are ignored: spaces, hyphens, dots, the soft hyphen, zero-width and direction characters, and the
 * byte order mark. The OpenAPI document has this pattern too, so it uses no `\p`, which many languages lack.
 */
export const SEPARATORS =
  /[\t\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u002d\u2010-\u2015\u2212\ufe58\ufe63\uff0d\u002e\u00b7\u0387\u00ad\u200b-\u200f\u2060\ufeff]/g;
const OTHER_CHARACTER = /[^A-Za-z0-9ÄÖÜÅäöüå]/u;
/**
 * Characters that cannot be read between quotes. A mark of `\p{M}` would be drawn on the quote before it, and U+2800 is
 * a blank Braille pattern.
 */
const UNREADABLE = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;
const MAX_LENGTH = 12;
const ASCII_LETTER_OR_DIGIT = /[A-Za-z0-9]/;

export const withoutSeparators = (raw: string): string => raw.normalize('NFC').replace(SEPARATORS, '');

const described = (character: string): string => {
  const codePoint = codePointOf(character);
  return UNREADABLE.test(character) ? codePoint : `"${character}" (${codePoint})`;
};

/** The key of a registration, or why a text is none. */
const readRegistration = (raw: string): { readonly key?: RegistrationKey; readonly issue?: string } => {
  // Counts UTF-16 units: no registration has a character that takes two.
  if (raw.length > MAX_RAW_LENGTH) return { issue: `must have at most ${MAX_RAW_LENGTH} characters` };
  if (raw.trim() === '') return { issue: 'must not be blank' };
  const compact = withoutSeparators(raw);
  const other = OTHER_CHARACTER.exec(compact)?.[0];
  if (other !== undefined) return { issue: `contains ${described(other)}` };
  if (compact.length > MAX_LENGTH) return { issue: `must have at most ${MAX_LENGTH} letters and digits` };
  if (!ASCII_LETTER_OR_DIGIT.test(compact)) return { issue: 'must have a letter from A to Z or a digit' };
  return { key: compact.toUpperCase() as RegistrationKey };
};

/**
 * The key of a registration as people write it; undefined when it cannot be one. `ab12 cde`, `AB12-CDE` and `AB12CDE`
 * are one vehicle; O and 0, I and 1 are different (docs/contract.md#registrations). Path values are decoded by the
 * gateway and never again.
 */
export const normaliseRegistration = (raw: string): RegistrationKey | undefined => readRegistration(raw).key;

/**
 * Says why a text is not a registration, by its first invalid character, such as `contains "Á" (U+00C1)`. Asked only
 * about a text that has no key. @throws Error when it has one
 */
export const registrationIssue = (raw: string): string => {
  const { issue } = readRegistration(raw);
  if (issue === undefined) throw new Error('The text is a registration.');
  return issue;
};

/** The key of a stored record, whose registration was normalised before it was stored. */
export const storedRegistrationKey = ({ registration }: Readonly<Record<string, unknown>>): RegistrationKey =>
  String(registration) as RegistrationKey;

/** The sentence of an invalid registration. It quotes a character of the registration: never log it. */
export const invalidRegistrationSentence = (raw: string): string =>
  `The registration ${registrationIssue(raw)}. It has 1 to ${MAX_LENGTH} letters (A to Z, Ä, Ö, Ü, Å) and digits; spaces, hyphens and dots are ignored.`;

export interface Registration {
  readonly sent: string;
  readonly key: RegistrationKey;
}

export interface RegistrationInPath {
  readonly registration: Registration;
}

/** The registration of a path, or the error INVALID_REGISTRATION when the path has no valid one. */
export const registrationInPath = ({
  registration: sent = '',
}: {
  readonly registration?: string;
}): RegistrationInPath | ApiError => {
  const key = normaliseRegistration(sent);
  return key === undefined ? invalidRegistration(invalidRegistrationSentence(sent)) : { registration: { sent, key } };
};

/** The key of a registration that is in the code. @throws Error when it is invalid */
export const requireRegistration = (raw: string): RegistrationKey => {
  const key = normaliseRegistration(raw);
  if (key === undefined) throw new Error(invalidRegistrationSentence(raw));
  return key;
};

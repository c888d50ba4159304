import { normaliseRegistration } from '../../../core/vehicles/registration.ts';

/** Characters of the longest normalised registration. */
const MAX_LENGTH = 12;
const SEPARATORS = /[ \-.\u00b7]/g;
const LETTERS_AND_DIGITS = /[A-Z0-9ÄÖÜÅ]+/g;

/** Every normalised registration that may stand in the text of a row that cannot be read. */
export function* possibleRegistrations(text: string): Generator<string> {
  const compact = text.normalize('NFC').toUpperCase().replace(SEPARATORS, '');
  for (const [run] of compact.matchAll(LETTERS_AND_DIGITS)) {
    for (let start = 0; start < run.length; start += 1) {
      for (let length = 1; length <= Math.min(MAX_LENGTH, run.length - start); length += 1) {
        const registration = normaliseRegistration(run.slice(start, start + length));
        if (registration !== undefined) yield registration;
      }
    }
  }
}

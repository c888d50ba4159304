import type { LondonDate } from '../runtime/clock.ts';
import type { RegistrationKey } from './registration.ts';

/**
 * Letters of each part of a registration. Sources: DVLA leaflet INF104 (current format: no I, Q or Z in the memory tag,
 * no I or Q in the last three letters), and the letters issued for prefix and suffix formats (year: no I, O, U or Z,
 * and Q only as a prefix, for vehicles of unknown age; elsewhere: no I, Q or Z). Numbers of one to three digits have no
 * leading zero.
 */
const CURRENT = /^[A-HJ-PR-Y]{2}(\d{2})[A-HJ-PR-Z]{3}$/;
const PREFIX = /^[A-HJ-NP-TV-Y][1-9]\d{0,2}[A-HJ-PR-Y]{3}$/;
const SUFFIX = /^[A-HJ-PR-Y]{3}[1-9]\d{0,2}[A-HJ-NPR-TV-Y]$/;

/** The first day of an age identifier: 02 to 50 are issued from March, 51 to 99 and 00 from September. */
const firstIssued = (identifier: number): LondonDate => {
  const year = identifier > 50 ? identifier - 50 : identifier || 50;
  const month = identifier > 50 || identifier === 0 ? '09' : '03';
  return `20${String(year).padStart(2, '0')}-${month}-01`;
};

/** Age identifier 01 would be March 2001, but the format began in September. */
const isAgeIdentifier = (digits: string, today: LondonDate): boolean =>
  digits !== '01' && firstIssued(Number(digits)) <= today;

const hasYearLetterOrNumber = (registration: string, today: LondonDate): boolean => {
  const identifier = CURRENT.exec(registration)?.[1];
  if (identifier !== undefined) return isAgeIdentifier(identifier, today);
  return PREFIX.test(registration) || SUFFIX.test(registration);
};

/** Registrations without an age identifier, including Northern Ireland's. */
const DATELESS = /^(?:[A-Z]{1,3}[1-9]\d{0,3}|[1-9]\d{0,3}[A-Z]{1,3})$/;

/**
 * Whether a normalised registration has a format that is in use in the UK. `TBC` and `123` have none, nor do most
 * foreign registrations.
 */
export const hasUkFormat = (registration: string, today: LondonDate): boolean =>
  hasYearLetterOrNumber(registration, today) || DATELESS.test(registration);

const MISTAKEN: Readonly<Record<string, string>> = { O: '0', '0': 'O', I: '1', '1': 'I' };

/**
 * The registration that was probably meant, when one O was written for 0, 0 for O, I for 1 or 1 for I
 * (docs/contract.md#registrations): the change that makes the text a UK registration of the current, prefix or suffix
 * format, of which there is at most one. Undefined for a text that is one already. Does not depend on stored data.
 * @param today an age identifier that is not issued yet is invalid
 * @example suggestionFor(requireRegistration('AB1O CDE'), '2026-11-22') // 'AB10CDE'
 */
export const suggestionFor = (registration: RegistrationKey, today: LondonDate): string | undefined => {
  if (hasYearLetterOrNumber(registration, today)) return undefined;
  return [...registration]
    .map((character, index, all) => all.with(index, MISTAKEN[character] ?? character).join(''))
    .find((changed) => hasYearLetterOrNumber(changed, today));
};

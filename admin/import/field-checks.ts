import { isCalendarDate } from '../../core/runtime/clock.ts';
import type { Policy } from '../../core/vehicles/vehicle-record.ts';
import { asIsoDate, dateIssue, MIDNIGHT } from '../files/date-forms.ts';
import type { ReadOptions } from '../files/file-command.ts';

const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|\+00:00)$/;
/** Maximum number of characters in a text of an imported record, but for an ARN. */
const MAX_TEXT_LENGTH = 100;
/**
 * Programs write 1970-01-01 for no date, and databases 1900-01-01 or an earlier day. They write the year 0026 for a
 * year of two digits.
 */
const isNoDate = (day: string): boolean => day <= '1900-01-01' || day === '1970-01-01';
/** The year of the first motor car. */
const FIRST_YEAR = 1885;
/**
 * How far a time may be ahead of the import, in milliseconds: a clock with the wrong time zone is less than a
 * day ahead. A time in the far future is rejected, because no correct file could replace that record with `--if-newer`.
 */
const MAX_AHEAD_MS = 24 * 3_600_000;
/** Maximum number of reasons for one row: a line of a megabyte can have a hundred thousand unknown fields. */
const MAX_REASONS = 100;
const CONTROL_CHARACTER = /\p{Cc}/u;

export const isBlank = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.trim() === '');

/** The value of a CSV cell; undefined for a blank one. */
export const cellValue = (value: unknown): unknown => (isBlank(value) ? undefined : value);

/** The number in a CSV cell; any other value is returned unchanged. */
export const asNumber = (value: unknown): unknown => {
  const text = typeof value === 'string' ? value.trim() : '';
  return /^\d{1,15}$/.test(text) ? Number(text) : value;
};

/** Texts that a spreadsheet or a database has written in place of a value, each with a clause that describes it. */
const DESTROYED: readonly (readonly [RegExp, string])[] = [
  [/^[+-]?\d+(?:[.,]\d+E[+-]?|E\+)\d+$/i, 'is a number that a spreadsheet has rounded'],
  [/^\d{3,}\.0$/, 'is a number with a decimal point'],
  [/^(?:#(?:[\p{L}¡/_]+[!?]?|[A-Z0-9¡/]+[!?]|#+)|Err:\d{3})$/iu, 'is an error of a spreadsheet'],
  [/^=["(\p{L}]/u, 'is a formula of a spreadsheet'],
  [/^'\d/, 'begins with the apostrophe of a spreadsheet'],
  [/^(?:NULL|\\N|[(<[]NULL[)>\]]|undefined|\[object Object\])$/i, 'is a database’s sign for no value'],
];

const textIssue = (text: string, most: number): string | undefined => {
  if (text === '') return 'must not be blank';
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  if (CONTROL_CHARACTER.test(text)) return 'must not contain control characters such as tabs and line ends';
  // Programs write U+FFFD in place of a character that they could not read.
  if (text.includes('\ufffd')) return 'has a character that was lost (U+FFFD); correct it and save the file as UTF-8';
  const [, destroyed] = DESTROYED.find(([pattern]) => pattern.test(text)) ?? [];
  if (destroyed !== undefined) return destroyed;
  // Characters are counted only when there are too many code units: these cost nothing to count, and are never fewer.
  return text.length > most && [...text].length > most ? `must have at most ${most} characters` : undefined;
};

/** Reads the fields of a row. Every issue goes to `reasons`; the values are valid only when there is none. */
export const fieldChecks = ({ now, dates, ifNewer }: Pick<ReadOptions, 'now' | 'dates' | 'ifNewer'>) => {
  const reasons: string[] = [];
  const issue = (name: string, what: string): void => {
    if (reasons.length < MAX_REASONS) reasons.push(`${name}: ${what}`);
  };

  const string = (name: string, value: unknown): string | undefined => {
    if (typeof value === 'string') return value;
    issue(name, value === undefined ? 'is missing' : 'must be a string');
    return undefined;
  };

  const text = (name: string, value: unknown, most = MAX_TEXT_LENGTH): string => {
    const given = string(name, value)?.trim();
    const found = given === undefined ? undefined : textIssue(given, most);
    if (found) issue(name, found);
    return given ?? '';
  };

  const anyTimestamp = (name: string, value: unknown): string => {
    const text = string(name, value)?.trim();
    if (text === undefined) return '';
    const moment = ISO_UTC.test(text) && isCalendarDate(text.slice(0, 10)) ? new Date(text) : undefined;
    if (moment && !Number.isNaN(moment.getTime())) return moment.toISOString();
    issue(name, 'must be a UTC timestamp as YYYY-MM-DDTHH:MM:SSZ');
    return '';
  };

  /** At most 24 hours ahead of the import. */
  const timestamp = (name: string, value: unknown): string => {
    const time = anyTimestamp(name, value);
    if (Date.parse(time) > now.getTime() + MAX_AHEAD_MS) issue(name, 'must not be more than 24 hours in the future');
    return time;
  };

  const wholeNumber = (name: string, value: unknown, from: number, to?: number): number => {
    const isValid = Number.isSafeInteger(value) && from <= Number(value) && Number(value) <= (to ?? Number(value));
    // A year has no comma.
    const limit = to === undefined ? '' : ` to ${to.toLocaleString('en-GB', { useGrouping: 'min2' })}`;
    if (!isValid) issue(name, `must be a whole number from ${from}${limit}`);
    return isValid ? Number(value) : 0;
  };

  return {
    reasons,
    issue,

    text,

    wholeNumber,

    /** Like `text`, but the value may be empty: registers have vehicles without a model. */
    textOrEmpty: (name: string, value: unknown): string =>
      typeof value === 'string' && value.trim() === '' ? '' : text(name, value),

    year: (name: string, value: unknown): number => wholeNumber(name, value, FIRST_YEAR, now.getUTCFullYear() + 1),

    /** Checks the order of a policy's two dates. `fieldName` gives the names of its fields in the file. */
    policyPeriod: ({ validFrom, validTo }: Policy, fieldName: (field: string) => string): void => {
      if (validFrom && validTo && validTo < validFrom) {
        issue(fieldName('validTo'), `must not be before ${fieldName('validFrom')}`);
      }
    },

    day: (name: string, value: unknown): string => {
      const text = string(name, value)?.trim().replace(MIDNIGHT, '');
      if (text === undefined) return '';
      const day = asIsoDate(text, dates);
      if (!isCalendarDate(day)) issue(name, dateIssue(text, dates));
      else if (isNoDate(day)) issue(name, 'must be after 1900-01-01 and not 1970-01-01, which stand for no date');
      else return day;
      return '';
    },

    anyTimestamp,

    timestamp,

    /** Undefined without a value. */
    lastUpdated: (name: string, value: unknown): string | undefined => {
      if (value === undefined) {
        if (ifNewer) issue(name, 'must be given with --if-newer');
        return undefined;
      }
      return timestamp(name, value);
    },

    /** The value as an object that has no other fields than these. */
    object: (name: string, value: unknown, allowed: readonly string[]): Readonly<Record<string, unknown>> => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        issue(name, value === undefined ? 'is missing' : 'must be an object');
        return {};
      }
      const prefix = name === '' ? '' : `${name}.`;
      for (const field of Object.keys(value)) {
        if (!allowed.includes(field)) issue(`${prefix}${field}`, 'is not a field of this record');
      }
      return value as Record<string, unknown>;
    },
  };
};

export type FieldChecks = ReturnType<typeof fieldChecks>;

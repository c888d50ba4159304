import { isCalendarDate } from '../../core/runtime/clock.ts';

const UK_DATE = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;

/** What spreadsheets and databases add to a date. */
export const MIDNIGHT = /[ T]00:00(?::00(?:\.0{1,9})?)?Z?$/;

/** Whether a text has the form of DD/MM/YYYY, DD-MM-YYYY or DD.MM.YYYY. */
export const isUkDate = (text: string): boolean => UK_DATE.test(text);

/** The date with this day and month, `YYYY-MM-DD`; any other text unchanged. */
export const fromUkDate = (text: string): string =>
  text.replace(UK_DATE, (_, day: string, _separator: string, month: string, year: string) =>
    [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
  );

/** Whether one of these values, or of those in them, is a date only with the month first, such as 12/31/2026. */
export const hasUsDate = (value: unknown): boolean => {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasUsDate);
  if (typeof value !== 'string') return false;
  const text = value.trim().replace(MIDNIGHT, '');
  if (!isUkDate(text)) return false;
  const swapped = text.replace(UK_DATE, '$3$2$1$2$4');
  return !isCalendarDate(fromUkDate(text)) && isCalendarDate(fromUkDate(swapped));
};

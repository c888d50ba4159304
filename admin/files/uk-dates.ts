import { isCalendarDate } from '../../core/runtime/clock.ts';

const UK_DATE = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;

/** What spreadsheets and databases add to a date. */
export const MIDNIGHT = /[ T]00:00(?::00(?:\.0{1,9})?)?Z?$/;

export const isUkDate = (text: string): boolean => UK_DATE.test(text);

/** The date with this day and month, `YYYY-MM-DD`; any other text unchanged. */
export const fromUkDate = (text: string): string =>
  text.replace(UK_DATE, (_, day: string, _separator: string, month: string, year: string) =>
    [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
  );

const isUsDate = (value: unknown): boolean => {
  if (typeof value !== 'string') return false;
  const text = value.trim().replace(MIDNIGHT, '');
  const swapped = text.replace(UK_DATE, '$3$2$1$2$4');
  return !isCalendarDate(fromUkDate(text)) && isCalendarDate(fromUkDate(swapped));
};

/** The fields of CSV and NDJSON that are dates. The number of a policy may look like one. */
const DATE_FIELDS = new Set([
  ...['valid_from', 'valid_to', 'mot_due', 'tax_paid_until', 'last_updated'],
  ...['validFrom', 'validTo', 'dueDate', 'paidUntil', 'lastUpdated'],
]);

/** Whether one of these fields, or of those in them, is a date only with the month first, such as 12/31/2026. */
export const hasUsDate = (fields: object): boolean =>
  Object.entries(fields).some(([name, value]) =>
    typeof value === 'object' && value !== null ? hasUsDate(value) : DATE_FIELDS.has(name) && isUsDate(value),
  );

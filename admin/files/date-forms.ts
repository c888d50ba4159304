import { isCalendarDate } from '../../core/runtime/clock.ts';

/** How a file writes its dates: `YYYY-MM-DD`, or also as DD/MM/YYYY or as YYYYMMDD. Never guessed. */
export const DATE_FORMATS = ['iso', 'uk', 'compact'] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

const WRITTEN_AS_DATE = /^\d{4}-\d{2}-\d{2}$/;
const COMPACT_DATE = /^(\d{4})(\d{2})(\d{2})$/;
const UK_DATE = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;

/** What spreadsheets and databases add to a date. */
export const MIDNIGHT = /[ T]0?0:00(?::00(?:\.0{1,9})?)?Z?$/;

/** The date with this day and month, `YYYY-MM-DD`; any other text unchanged. */
const fromUkDate = (text: string): string =>
  text.replace(UK_DATE, (_, day: string, _separator: string, month: string, year: string) =>
    [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
  );

/** A date of the format as `YYYY-MM-DD`; any other text unchanged. */
export const asIsoDate = (text: string, format: DateFormat): string => {
  if (format === 'uk') return fromUkDate(text);
  return format === 'compact' ? text.replace(COMPACT_DATE, '$1-$2-$3') : text;
};

const FORMS: Readonly<Record<DateFormat, string>> = { iso: '', uk: 'DD/MM/YYYY', compact: 'YYYYMMDD' };

/** Why a text is no date of the format. */
export const dateIssue = (text: string, format: DateFormat): string => {
  if (text === '') return 'must not be blank';
  if (WRITTEN_AS_DATE.test(asIsoDate(text, format))) return 'is not a calendar date';
  if (format !== 'iso') return `must be ${FORMS[format]} or YYYY-MM-DD`;
  const other = UK_DATE.test(text) ? 'uk' : isCalendarDate(asIsoDate(text, 'compact')) ? 'compact' : undefined;
  return `must be YYYY-MM-DD${other === undefined ? '' : `; --dates ${other} reads ${FORMS[other]}`}`;
};

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

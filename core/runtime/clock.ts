/** A calendar day in Europe/London, `YYYY-MM-DD`; compares as text. */
export type LondonDate = string;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MARCH = 2;
const OCTOBER = 9;

/** The time of 01:00 UTC on the last Sunday of a month of 31 days, in milliseconds. */
const lastSundayAtOne = (year: number, month: number): number => {
  const monthEnd = new Date(Date.UTC(year, month, 31, 1));
  return monthEnd.setUTCDate(31 - monthEnd.getUTCDay());
};

/** British Summer Time: last Sunday of March to last Sunday of October, 01:00 UTC (Summer Time Order 2002). */
const isSummerTime = (instant: Date): boolean => {
  const year = instant.getUTCFullYear();
  const time = instant.getTime();
  return time >= lastSundayAtOne(year, MARCH) && time < lastSundayAtOne(year, OCTOBER);
};

/**
 * The calendar day in Europe/London at an instant since 1996, for policies, MOT, tax and key expiry. Computed here,
 * because Node's time zones cost 14 ms of every cold start. A test compares both.
 */
export const londonDate = (instant: Date): LondonDate =>
  new Date(instant.getTime() + (isSummerTime(instant) ? HOUR_MS : 0)).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** The day `days` later, or earlier if negative. Counted in UTC, where every day has 24 hours. */
export const dayAfter = (day: LondonDate, days: number): LondonDate =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, day.length);

const DATE = /^\d{4}-\d{2}-\d{2}$/;

export const isCalendarDate = (text: string): boolean =>
  // 30 February would become a day of March.
  DATE.test(text) && new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(-2));

const FIRST_DATE: LondonDate = '1900-01-01';
const LAST_DATE: LondonDate = '2099-12-31';

/** The rule of `isAnswerableDate` in words, to follow "must be". */
export const ANSWERABLE_DATE = `a day from ${FIRST_DATE} to ${LAST_DATE}, written YYYY-MM-DD`;

/** Whether a caller can ask about this day (docs/contract.md#vehicle-insurance). */
export const isAnswerableDate = (text: string): boolean =>
  isCalendarDate(text) && FIRST_DATE <= text && text <= LAST_DATE;

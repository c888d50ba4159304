/** A calendar day in Europe/London, `YYYY-MM-DD`; compares as text. */
export type LondonDate = string;

let calendar: Intl.DateTimeFormat | undefined;

/**
 * The calendar day in Europe/London at an instant: policies, MOT, tax and key expiry all count in it
 * (contract.md "Vehicle insurance", "Compliance", "Keys and plans").
 */
export const londonDate = (instant: Date): LondonDate => {
  // en-CA writes dates as YYYY-MM-DD; built on first use because it costs a function's start.
  calendar ??= new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London', dateStyle: 'short' });
  return calendar.format(instant);
};

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Whether the text is a day that exists, written `YYYY-MM-DD`. */
export const isCalendarDate = (text: string): boolean => {
  if (!DATE.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
};

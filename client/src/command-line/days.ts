/** The last day that the service knows. */
export const lastDay = '2099-12-31';

/** The day `count` days after a day (YYYY-MM-DD). Empty when that is not a day. */
export const addDays = (day: string, count: number): string => {
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T00:00:00Z` : Number.NaN);
  date.setUTCDate(date.getUTCDate() + count);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
};

/** Today in London, where insurance begins and ends at midnight. The Swedish locale writes dates as ISO 8601 does. */
export const todayInLondon = (): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/London' }).format(new Date());

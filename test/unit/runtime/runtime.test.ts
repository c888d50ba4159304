import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isCalendarDate, londonDate } from '../../../core/runtime/clock.ts';
import { awsFromEnvironment, tableNamesFromEnvironment } from '../../../core/runtime/environment.ts';

// If this fails after an update of Node, the law of summer time has changed: core/runtime/clock.ts implements it.
it('The day in London agrees with Node’s time zones every hour around clock changes from 1996 to 2060, to the millisecond', () => {
  const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London', dateStyle: 'short' });
  const HOUR_MS = 3_600_000;
  const wrong: string[] = [];
  for (let year = 1996; year <= 2060; year += 1) {
    // The days around both changes of the clock, then an hour of each month.
    const starts = [Date.UTC(year, 2, 24), Date.UTC(year, 9, 24)];
    const hours = starts.flatMap((start) => Array.from({ length: 9 * 24 }, (_, hour) => start + hour * HOUR_MS));
    const months = Array.from({ length: 12 }, (_, month) => Date.UTC(year, month, 15, 23));
    for (const time of [...hours, ...months].flatMap((exact) => [exact - 1, exact])) {
      const instant = new Date(time);
      if (londonDate(instant) !== calendar.format(instant)) wrong.push(instant.toISOString());
    }
  }
  expect(wrong).toEqual([]);
});

describe('A calendar date', () => {
  it.each(['2026-02-28', '2024-02-29', '1900-01-01', '9999-12-31'])('is %s', (text) => {
    expect(isCalendarDate(text)).toBe(true);
  });
  const otherForms = ['01/01/2026', '2026-1-1', '', '2026-01-01T00:00:00Z', '٢٠٢٦-٠١-٠١'];
  it.each(['2026-02-30', '2025-02-29', '2026-13-01', '2026-00-10', ...otherForms])('is not %j', (text) => {
    expect(isCalendarDate(text)).toBe(false);
  });
});

describe('The environment', () => {
  const before = { ...process.env };
  beforeEach(() => {
    for (const name of Object.keys(process.env)) if (/^AWS_|_TABLE$/.test(name)) delete process.env[name];
  });
  afterEach(() => {
    Object.assign(process.env, before);
  });

  const DATABASE = { AWS_REGION: 'r', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };

  it('needs only the tables of the function; the error names every missing one', () => {
    process.env.KEYS_TABLE = 'k';
    expect(tableNamesFromEnvironment(['keys'])).toEqual({ keys: 'k' });
    expect(() => tableNamesFromEnvironment(['keys', 'usage', 'vehicles'])).toThrow('USAGE_TABLE, VEHICLES_TABLE');
  });

  it('needs the region and credentials; the error names every missing one', () => {
    process.env.AWS_REGION = 'eu-west-2';
    expect(() => awsFromEnvironment()).toThrow('AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY');
  });

  it('has no endpoint when the variable is empty', () => {
    Object.assign(process.env, DATABASE, { AWS_ENDPOINT_URL_DYNAMODB: '' });
    expect(awsFromEnvironment()).toEqual({ region: 'r', credentials: { accessKeyId: 'a', secretAccessKey: 's' } });
  });

  it('has the session token with which Lambda signs', () => {
    Object.assign(process.env, DATABASE, { AWS_SESSION_TOKEN: 't' });
    const credentials = { accessKeyId: 'a', secretAccessKey: 's', sessionToken: 't' };
    expect(awsFromEnvironment().credentials).toEqual(credentials);
  });
});

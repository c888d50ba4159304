import { describe, expect, it } from '@jest/globals';
import { isCalendarDate, londonDate } from '../../functions/runtime/clock.ts';

describe('The day in London', () => {
  it.each([
    ['2026-06-15T22:59:59.999Z', '2026-06-15'],
    ['2026-06-15T23:00:00.000Z', '2026-06-16'],
    ['2026-12-15T23:59:59.999Z', '2026-12-15'],
    ['2026-12-16T00:00:00.000Z', '2026-12-16'],
    ['2026-03-29T00:59:59.000Z', '2026-03-29'],
    ['2026-10-24T23:30:00.000Z', '2026-10-25'],
    ['2026-10-25T23:30:00.000Z', '2026-10-25'],
  ])('at %s is %s', (instant, day) => {
    expect(londonDate(new Date(instant))).toBe(day);
  });
});

describe('A calendar date', () => {
  it.each(['2026-02-28', '2024-02-29', '1900-01-01', '9999-12-31'])('is %s', (text) => {
    expect(isCalendarDate(text)).toBe(true);
  });
  it.each([
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '01/01/2026',
    '2026-1-1',
    '',
    '2026-01-01T00:00:00Z',
    '٢٠٢٦-٠١-٠١',
  ])('is not %j', (text) => {
    expect(isCalendarDate(text)).toBe(false);
  });
});

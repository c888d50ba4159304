import { describe, expect, it } from '@jest/globals';
import { LARGEST_BULK_SIZE, largestRequestsPerSecond, PLAN_NAMES, PLANS, windowAt } from '../../core/access/plans.ts';

describe('A rate limit window', () => {
  it.each([
    ['2026-06-15T12:00:00.000Z', '2026-06-15T12:00:00Z'],
    ['2026-06-15T12:00:59.999Z', '2026-06-15T12:00:00Z'],
    ['2026-06-15T12:01:00.000Z', '2026-06-15T12:01:00Z'],
  ])('at %s began at %s and lasts 60 s', (instant, begin) => {
    const start = Date.parse(begin) / 1_000;
    expect(windowAt(new Date(instant))).toEqual({ start, end: start + 60 });
  });
});

it('the plans are those of the contract', () => {
  expect(PLANS).toEqual({
    free: { requestsPerWindow: 60, bulkSize: 100 },
    standard: { requestsPerWindow: 600, bulkSize: 500 },
    premium: { requestsPerWindow: 6_000, bulkSize: 1_000 },
  });
  expect(PLAN_NAMES).toEqual(['free', 'standard', 'premium']);
  expect(LARGEST_BULK_SIZE).toBe(1_000);
  expect(largestRequestsPerSecond()).toBe(100);
});

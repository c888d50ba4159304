/** What is counted, and when: test/api/access.test.ts. */
import { describe, expect, it } from '@jest/globals';
import type { KeyRecord } from '../../../core/access/key-record.ts';
import { windowAt } from '../../../core/access/plans.ts';
import { usageReport } from '../../../core/access/usage-report.ts';
import { NOON, TEST_PLANS } from '../../support/records.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const NOW = new Date(NOON);
const { start: NOW_START } = windowAt(NOW);

const KEY: KeyRecord = {
  id: '0123',
  hash: '',
  name: 'Garage',
  plan: 'free',
  scopes: ['content:read'],
  createdAt: '2026-06-01T00:00:00Z',
  environment: 'live',
};

/** The counter of the window `ago` seconds before the present one, in which requests beyond the limit were rejected. */
const counter = (ago: number, used: number, extraUnits = 0, requestsPerWindow = 60) => ({
  start: NOW_START - ago,
  used,
  extraUnits,
  ...(used > requestsPerWindow && { requestsPerWindow }),
});

const report = (counts: readonly ReturnType<typeof counter>[], fields: Partial<KeyRecord> = {}, used = 1) =>
  usageReport({ key: { ...KEY, ...fields }, plan: TEST_PLANS.free, used }, counts, [], NOW);

/** The hours with requests. */
const hoursOf = (...args: Parameters<typeof report>) => report(...args).hours.filter(({ requests }) => requests > 0);

describe('The report of a key', () => {
  it('shows the key, its limits and its window, and what is absent as null or unknown', () => {
    const { id, name, plan, scopes } = KEY;
    const { environment: _, ...old } = KEY;
    const shown = { id, name, plan, scopes, domains: null, expires: null };
    expect(report([], {}, 7)).toMatchObject({
      key: { ...shown, environment: 'live' },
      limits: { requestsPerWindow: 60, windowSeconds: 60, registrationsPerBulk: 100 },
      window: { used: 7, remaining: 53, resetsAt: '2026-06-15T12:01:00.000Z' },
    });
    expect(report([])).not.toHaveProperty('allowance');
    const given = { domains: ['a.example'], expires: '2026-12-31' };
    expect(report([], given).key).toEqual({ ...shown, ...given, environment: 'live' });
    expect(usageReport({ key: old, plan: TEST_PLANS.free, used: undefined }, [], [], NOW)).toMatchObject({
      key: { ...shown, environment: 'unknown' },
      window: { used: 0 },
    });
  });

  it('has 24 hours in UTC, the running one last, whose present window is counted as the request found it', () => {
    const counts = [counter(23 * HOUR, 3), counter(0, 5, 9), counter(24 * HOUR, 9)];
    const { hours } = report(counts, {}, 7);
    expect(hours.map(({ requests }) => requests)).toEqual([3, ...Array(22).fill(0), 7]);
    expect(hours[0]?.start).toBe('2026-06-14T13:00:00.000Z');
    expect(hours.at(-1)).toEqual({ start: '2026-06-15T12:00:00.000Z', requests: 7, rateLimited: 0, units: 16 });
  });

  it('counts as rate limited what went beyond the limit of each minute, not of the hour', () => {
    const counts = [counter(HOUR, 62), counter(HOUR - MINUTE, 61), counter(HOUR + MINUTE, 61)];
    expect(hoursOf(counts)).toMatchObject([
      { start: '2026-06-15T10:00:00.000Z', requests: 61, rateLimited: 1, units: 60 },
      { start: '2026-06-15T11:00:00.000Z', requests: 123, rateLimited: 3, units: 120 },
      { requests: 1, rateLimited: 0, units: 1 },
    ]);
  });

  it('uses the limit that was recorded in each minute, whatever the plans are now; a minute without one had no rejections', () => {
    const { requestsPerWindow: _, ...unlimited } = counter(HOUR, 700);
    const counts = [counter(3 * HOUR, 700), counter(2 * HOUR, 700, 0, 600), unlimited];
    expect(hoursOf(counts, { plan: 'gone' }).map(({ rateLimited }) => rateLimited)).toEqual([640, 100, 0, 0]);
  });

  it('counts a request that the allowance rejected as a request and as no unit', () => {
    const { start, used } = counter(HOUR, 5);
    expect(hoursOf([{ start, used, extraUnits: -2 }])[0]).toMatchObject({ requests: 5, rateLimited: 0, units: 3 });
  });

  it('has no units for a test key and the key of the probe', () => {
    for (const fields of [{ environment: 'test' }, { id: 'probe-0123' }] as const) {
      expect(hoursOf([counter(HOUR, 61, 5)], fields)[0]).toMatchObject({ rateLimited: 1, units: 0 });
    }
  });
});

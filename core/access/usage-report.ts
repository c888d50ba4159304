/** The requests of a key in the last 24 hours, from its counters (docs/contract.md#usage). */
import type { readAllowance } from './allowance.ts';
import { type Caller, remainingOf } from './authenticate.ts';
import { hasUnits, type KeyRecord } from './key-record.ts';
import { WINDOW_SECONDS, windowAt } from './plans.ts';
import type { WindowCount } from './usage-table.ts';

const HOUR_SECONDS = 3_600;
const HOURS = 24;

/** ISO 8601, UTC. */
const toIso = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString();

const hourOf = (unixSeconds: number): number => unixSeconds - (unixSeconds % HOUR_SECONDS);

/** The start of the first of the 24 hours, in Unix seconds. The last hour is still running. */
export const firstHour = (now: Date): number => hourOf(windowAt(now).start) - (HOURS - 1) * HOUR_SECONDS;

export interface Usage {
  /** All requests, the rate limited ones included. */
  readonly requests: number;
  readonly rateLimited: number;
  /** What the operator can charge for (docs/contract.md#units). */
  readonly units: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The usage of a key in these windows. Requests beyond the recorded limit of their window were rate limited. */
export const sumUsage = (counts: readonly WindowCount[], key: KeyRecord): Usage => {
  const requests = sum(counts.map(({ used }) => used));
  const admitted = sum(counts.map(({ used, requestsPerWindow = used }) => Math.min(used, requestsPerWindow)));
  const units = hasUnits(key) ? admitted + sum(counts.map(({ extraUnits }) => extraUnits)) : 0;
  return { requests, rateLimited: requests - admitted, units };
};

/** Exactly 24 UTC hours, oldest first. */
export const usageHours = (counts: readonly WindowCount[], key: KeyRecord, now: Date) => {
  const byHour = Map.groupBy(counts, ({ start }) => hourOf(start));
  return Array.from({ length: HOURS }, (_, index) => {
    const start = firstHour(now) + index * HOUR_SECONDS;
    return { start: toIso(start), ...sumUsage(byHour.get(start) ?? [], key) };
  });
};

/**
 * The body of `GET /v1/usage`.
 * @param counts since `firstHour`; the current window's requests are taken from the caller
 * @param allowance empty for a plan without one
 */
export const usageReport = (
  caller: Caller,
  counts: readonly WindowCount[],
  allowance: Awaited<ReturnType<typeof readAllowance>>,
  now: Date,
) => {
  const { key, plan, used = 0 } = caller;
  const { start, end } = windowAt(now);
  const completed = counts.filter((count) => count.start !== start);
  const current = counts.find((count) => count.start === start);
  return {
    key: {
      id: key.id,
      name: key.name,
      plan: key.plan,
      scopes: key.scopes,
      domains: key.domains ?? null,
      expires: key.expires ?? null,
      environment: key.environment ?? ('unknown' as const),
    },
    limits: {
      requestsPerWindow: plan.requestsPerWindow,
      windowSeconds: WINDOW_SECONDS,
      registrationsPerBulk: plan.bulkSize,
    },
    window: { used, remaining: remainingOf(caller), resetsAt: toIso(end) },
    ...(allowance.length > 0 && { allowance }),
    hours: usageHours([...completed, { extraUnits: 0, ...current, start, used }], key, now),
  };
};

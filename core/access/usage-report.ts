/** The requests of a key in the last 24 hours, from the counters of its windows (docs/contract.md#usage). */
import { type Caller, remainingOf } from './authenticate.ts';
import { type Plan, WINDOW_SECONDS, windowAt } from './plans.ts';
import type { WindowCount } from './usage-table.ts';

const HOUR_SECONDS = 3_600;
const HOURS = 24;

const toIso = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString();

const hourOf = (unixSeconds: number): number => unixSeconds - (unixSeconds % HOUR_SECONDS);

/** Unix seconds at which the first of the 24 hours begins; the last one is running. */
export const firstHour = (now: Date): number => hourOf(windowAt(now).start) - (HOURS - 1) * HOUR_SECONDS;

export interface Usage {
  /** All requests, the rate limited ones included. */
  readonly requests: number;
  readonly rateLimited: number;
}

export interface UsageHour extends Usage {
  /** ISO 8601 UTC. */
  readonly start: string;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The usage of windows with these numbers of requests. What went beyond the plan's limit as it is now counts as rate limited. */
export const sumUsage = (used: readonly number[], plan: Plan): Usage => ({
  requests: sum(used),
  rateLimited: sum(used.map((requests) => Math.max(0, requests - plan.requestsPerWindow))),
});

/** Exactly 24 UTC hours, oldest first. */
export const usageHours = (counts: readonly WindowCount[], plan: Plan, now: Date): UsageHour[] => {
  const byHour = Map.groupBy(counts, ({ start }) => hourOf(start));
  return Array.from({ length: HOURS }, (_, index) => {
    const start = firstHour(now) + index * HOUR_SECONDS;
    const used = (byHour.get(start) ?? []).map((count) => count.used);
    return { start: toIso(start), ...sumUsage(used, plan) };
  });
};

/**
 * The body of `GET /v1/usage`.
 * @param counts of the windows since `firstHour`; the current one is replaced by what admission counted
 */
export const usageReport = (caller: Caller, counts: readonly WindowCount[], now: Date) => {
  const { key, plan, used = 0 } = caller;
  const { start, end } = windowAt(now);
  const completed = counts.filter((count) => count.start !== start);
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
    hours: usageHours([...completed, { start, used }], plan, now),
  };
};

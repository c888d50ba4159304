/** The subscription plans and the window of their rate limit. */

/**
 * Operators edit the plans here; changes apply with the next deployment. `requestsPerWindow` counts requests of any
 * kind in a window of 60 s, `bulkSize` registrations in one bulk request.
 */
export const PLANS = {
  free: { requestsPerWindow: 60, bulkSize: 100 },
  standard: { requestsPerWindow: 600, bulkSize: 500 },
  premium: { requestsPerWindow: 6_000, bulkSize: 1_000 },
} as const satisfies Record<string, Plan>;

export interface Plan {
  readonly requestsPerWindow: number;
  readonly bulkSize: number;
}

export type PlanName = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as readonly PlanName[];

/** The largest bulk size of any plan. */
export const LARGEST_BULK_SIZE = Math.max(...Object.values(PLANS).map((plan) => plan.bulkSize));

/** Length of a rate limit window in seconds; windows start on the Unix minute (docs/contract.md#rate-limit). */
export const WINDOW_SECONDS = 60;

/** The most requests per second that a plan allows over a window. */
export const largestRequestsPerSecond = (): number =>
  Math.max(...Object.values(PLANS).map((plan) => plan.requestsPerWindow)) / WINDOW_SECONDS;

/** A rate limit window in Unix seconds: `start` inclusive, `end` exclusive. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

export const windowAt = (instant: Date): Window => {
  const start = Math.floor(instant.getTime() / 1_000 / WINDOW_SECONDS) * WINDOW_SECONDS;
  return { start, end: start + WINDOW_SECONDS };
};

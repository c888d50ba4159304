/**
 * The subscription plans. Operators edit this file; changes apply with the next deployment.
 * `requestsPerWindow` counts requests of any kind in one window of 60 s, `bulkSize` registrations in one bulk request.
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

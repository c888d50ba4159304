import type { Plans } from '../../core/access/plans.ts';

/** The plans of tests, so that no test changes with the default plans. */
export const TEST_PLANS = {
  free: { requestsPerWindow: 60, bulkSize: 100 },
  standard: { requestsPerWindow: 600, bulkSize: 500 },
  premium: { requestsPerWindow: 6_000, bulkSize: 1_000 },
} as const satisfies Plans;

/** The environment of functions and of the command line with these plans. */
export const PLANS_VARIABLE = { PLANS: JSON.stringify(TEST_PLANS) };

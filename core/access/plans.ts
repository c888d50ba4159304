export interface Plan {
  /** The most requests of any kind in a window. */
  readonly requestsPerWindow: number;
  /** The most registrations in one bulk request. */
  readonly bulkSize: number;
  /** The most units of a customer in a day and in a month (UTC); unlimited if absent. */
  readonly unitsPerDay?: number;
  readonly unitsPerMonth?: number;
}

/** The plans of a stage, at least one, by name. */
export type Plans = Readonly<Record<string, Plan>>;

export const DEFAULT_PLANS = {
  free: { requestsPerWindow: 60, bulkSize: 100, unitsPerDay: 1_000 },
  standard: { requestsPerWindow: 600, bulkSize: 500, unitsPerDay: 100_000 },
  premium: { requestsPerWindow: 6_000, bulkSize: 1_000, unitsPerDay: 5_000_000 },
} as const satisfies Plans;

/** The limits of the probe, which must be enough for its smoke test on every stage. */
export const PROBE_PLAN: Plan = { requestsPerWindow: 600, bulkSize: 100 };

export const MAX_BULK_SIZE = 1_000;

/** The plans in a text of JSON, as a function's environment has it. Without a text, they are the default ones. */
export const plansFrom = (json: string | undefined): Plans => (json ? (JSON.parse(json) as Plans) : DEFAULT_PLANS);

/** A limit that no plan has stays absent, and is unlimited. */
const smallestLimits = (plans: readonly Plan[]): Plan => {
  const smallest = (name: keyof Plan): number => Math.min(...plans.map((plan) => plan[name] ?? Infinity));
  const [unitsPerDay, unitsPerMonth] = [smallest('unitsPerDay'), smallest('unitsPerMonth')];
  return {
    requestsPerWindow: smallest('requestsPerWindow'),
    bulkSize: smallest('bulkSize'),
    ...(unitsPerDay < Infinity && { unitsPerDay }),
    ...(unitsPerMonth < Infinity && { unitsPerMonth }),
  };
};

/** The plan with this name. When it is gone from the setting, it has the smallest of every limit of the others. */
export const planNamed = (plans: Plans, name: string): Plan => {
  const plan = Object.hasOwn(plans, name) ? plans[name] : undefined;
  return plan ?? smallestLimits(Object.values(plans));
};

/** Length of a rate limit window in seconds; windows start on the Unix minute (docs/contract.md#rate-limit). */
export const WINDOW_SECONDS = 60;

/** The most requests per second that a plan allows over a window. */
export const largestRequestsPerSecond = (plans: Plans): number =>
  Math.max(...Object.values(plans).map((plan) => plan.requestsPerWindow)) / WINDOW_SECONDS;

/** A rate limit window in Unix seconds: `start` inclusive, `end` exclusive. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

export const windowAt = (instant: Date): Window => {
  const start = Math.floor(instant.getTime() / 1_000 / WINDOW_SECONDS) * WINDOW_SECONDS;
  return { start, end: start + WINDOW_SECONDS };
};

/** At least 1, so that they can be the value of `Retry-After`. */
export const secondsUntil = (end: Date, now: Date): number =>
  Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1_000));

export const secondsUntilReset = (now: Date): number => secondsUntil(new Date(windowAt(now).end * 1_000), now);

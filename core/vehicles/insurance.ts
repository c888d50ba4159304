import type { LondonDate } from '../runtime/clock.ts';
import type { Policy, VehicleDetails, VehicleRecord } from './vehicle-record.ts';

export const INSURANCE_STATUSES = ['IN_FORCE', 'LAPSED', 'NOT_STARTED', 'NONE'] as const;

/** The status of a vehicle's insurance on a day, and the policy that it follows from. */
export interface Insurance {
  readonly status: (typeof INSURANCE_STATUSES)[number];
  readonly policy: Policy | null;
}

const ascending = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const byNumber = (a: Policy, b: Policy) => ascending(a.number, b.number);
const latestFirst = (a: Policy, b: Policy) => ascending(b.validFrom, a.validFrom) || byNumber(a, b);
const endedLastFirst = (a: Policy, b: Policy) => ascending(b.validTo, a.validTo) || latestFirst(a, b);
const nextFirst = (a: Policy, b: Policy) => ascending(a.validFrom, b.validFrom) || byNumber(a, b);

/**
 * The policy that answers for a day: the one in force (latest start, then number), otherwise the last to end, otherwise
 * the next to begin. Both ends of a policy are included (docs/contract.md#vehicle-insurance).
 */
export const insuranceOn = (day: LondonDate, policies: readonly Policy[]): Insurance => {
  const inForce = policies.filter((policy) => policy.validFrom <= day && day <= policy.validTo).sort(latestFirst)[0];
  if (inForce) return { status: 'IN_FORCE', policy: inForce };
  const lapsed = policies.filter((policy) => policy.validTo < day).sort(endedLastFirst)[0];
  if (lapsed) return { status: 'LAPSED', policy: lapsed };
  // A policy that is neither in force nor over is still to begin.
  const [next] = policies.toSorted(nextFirst);
  return next ? { status: 'NOT_STARTED', policy: next } : { status: 'NONE', policy: null };
};

interface InsuranceResult extends Insurance {
  /** The registration as it was sent. */
  readonly registration: string;
  readonly insured: boolean;
}

/** Whether a vehicle is insured is derived when it is asked for, and never stored. */
export const insuranceResult = (
  registration: string,
  day: LondonDate,
  policies: readonly Policy[],
): InsuranceResult => {
  const { status, policy } = insuranceOn(day, policies);
  return { registration, insured: status === 'IN_FORCE', status, policy };
};

/** The part of an answer that the scope `vehicles:status` permits. */
export const insuranceStatus = ({ registration, insured, status }: InsuranceResult) => ({
  registration,
  insured,
  status,
});

export interface InsuranceAnswer extends InsuranceResult {
  readonly vehicle: VehicleDetails;
  readonly lastUpdated: string;
  /** The day that was asked for; absent when the answer is for today. */
  readonly asOf?: LondonDate;
}

export const insuranceAnswer = (
  registration: string,
  { vehicle, lastUpdated, policies }: VehicleRecord,
  today: LondonDate,
  asOf?: LondonDate,
): InsuranceAnswer => ({
  ...insuranceResult(registration, asOf ?? today, policies),
  vehicle,
  lastUpdated,
  ...(asOf && { asOf }),
});

import type { LondonDate } from '../runtime/clock.ts';
import type { Policy } from './record.ts';

/** The state of a vehicle's insurance on a day, and the policy that it follows from. */
export type Insurance =
  | { readonly state: 'in force' | 'lapsed' | 'not started'; readonly policy: Policy }
  | { readonly state: 'none'; readonly policy: null };

const ascending = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const byNumber = (a: Policy, b: Policy) => ascending(a.number, b.number);
const latestFirst = (a: Policy, b: Policy) => ascending(b.validFrom, a.validFrom) || byNumber(a, b);
const endedLastFirst = (a: Policy, b: Policy) => ascending(b.validTo, a.validTo) || latestFirst(a, b);
const nextFirst = (a: Policy, b: Policy) => ascending(a.validFrom, b.validFrom) || byNumber(a, b);

/**
 * The policy that answers for a vehicle on a day: the one in force (latest start, then number), else the one that ended
 * last, otherwise the next to begin. Both ends of a policy are included (docs/contract.md#vehicle-insurance).
 */
export const insuranceOn = (today: LondonDate, policies: readonly Policy[]): Insurance => {
  const inForce = policies
    .filter((policy) => policy.validFrom <= today && today <= policy.validTo)
    .sort(latestFirst)[0];
  if (inForce) return { state: 'in force', policy: inForce };
  const lapsed = policies.filter((policy) => policy.validTo < today).sort(endedLastFirst)[0];
  if (lapsed) return { state: 'lapsed', policy: lapsed };
  const next = policies.filter((policy) => today < policy.validFrom).sort(nextFirst)[0];
  return next ? { state: 'not started', policy: next } : { state: 'none', policy: null };
};

/** Whether the vehicle is insured: derived on the day it is asked, never stored. */
export const isInsured = (insurance: Insurance): boolean => insurance.state === 'in force';

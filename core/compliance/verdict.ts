import type { Check } from '../checks.ts';
import type { LondonDate } from '../runtime/clock.ts';
import { insuranceOn } from '../vehicles/insurance.ts';
import type { InsuranceRecord } from '../vehicles/vehicle-record.ts';
import { type ComplianceParts, hasPart } from './compliance-record.ts';

/** The statuses of each source, in the order of the checks, with the reason if a status fails its check. */
const REASONS = {
  insurance: {
    IN_FORCE: undefined,
    LAPSED: 'INSURANCE_LAPSED',
    NOT_STARTED: 'INSURANCE_NOT_STARTED',
    NONE: 'NO_POLICY',
    NOT_CHECKED: undefined,
  },
  mot: { VALID: undefined, EXPIRED: 'MOT_EXPIRED', EXEMPT: undefined, UNKNOWN: 'MOT_UNKNOWN', NOT_CHECKED: undefined },
  roadTax: {
    PAID: undefined,
    EXPIRED: 'TAX_EXPIRED',
    EXEMPT: undefined,
    SORN: 'SORN',
    UNKNOWN: 'TAX_UNKNOWN',
    NOT_CHECKED: undefined,
  },
  fines: { NONE: undefined, OUTSTANDING: 'FINES_OUTSTANDING', UNKNOWN: 'FINES_UNKNOWN', NOT_CHECKED: undefined },
} as const;

type Reasons = typeof REASONS;

/** Why a check can fail. docs/sample-data.md has a vehicle for each reason. */
export type Reason = NonNullable<{ [Source in keyof Reasons]: Reasons[Source][keyof Reasons[Source]] }[keyof Reasons]>;

interface CheckDetails<Source extends keyof Reasons> {
  readonly status: keyof Reasons[Source];
  /** When the part last changed at its source, ISO 8601 UTC; null when that is not known. */
  readonly lastUpdated: string | null;
}

/** What the verdict follows from. A date or number is null where there is none. */
interface VerdictDetails {
  readonly insurance: CheckDetails<'insurance'> & { readonly validTo: LondonDate | null };
  readonly mot: CheckDetails<'mot'> & { readonly dueDate: LondonDate | null };
  readonly roadTax: CheckDetails<'roadTax'> & { readonly paidUntil: LondonDate | null };
  readonly fines: CheckDetails<'fines'> & { readonly outstanding: number | null };
}

const motOn = (today: LondonDate, mot: ComplianceParts['mot']): VerdictDetails['mot'] => {
  if (mot === undefined) return { status: 'UNKNOWN', dueDate: null, lastUpdated: null };
  const { lastUpdated = null } = mot;
  if ('exempt' in mot) return { status: 'EXEMPT', dueDate: null, lastUpdated };
  return { status: today <= mot.dueDate ? 'VALID' : 'EXPIRED', dueDate: mot.dueDate, lastUpdated };
};

const roadTaxOn = (today: LondonDate, roadTax: ComplianceParts['roadTax']): VerdictDetails['roadTax'] => {
  if (roadTax === undefined) return { status: 'UNKNOWN', paidUntil: null, lastUpdated: null };
  const { lastUpdated = null } = roadTax;
  if ('sorn' in roadTax) return { status: 'SORN', paidUntil: null, lastUpdated };
  if ('exempt' in roadTax) return { status: 'EXEMPT', paidUntil: null, lastUpdated };
  return { status: today <= roadTax.paidUntil ? 'PAID' : 'EXPIRED', paidUntil: roadTax.paidUntil, lastUpdated };
};

const unpaidFines = (fines: ComplianceParts['fines']): VerdictDetails['fines'] => {
  if (fines === undefined) return { status: 'UNKNOWN', outstanding: null, lastUpdated: null };
  const { outstanding, lastUpdated = null } = fines;
  return { status: outstanding === 0 ? 'NONE' : 'OUTSTANDING', outstanding, lastUpdated };
};

const policyOn = (today: LondonDate, vehicle: Omit<InsuranceRecord, 'registration'>): VerdictDetails['insurance'] => {
  const { status, policy } = insuranceOn(today, vehicle.policies);
  return { status, validTo: policy?.validTo ?? null, lastUpdated: vehicle.lastUpdated ?? null };
};

const NOT_CHECKED: VerdictDetails = {
  insurance: { status: 'NOT_CHECKED', validTo: null, lastUpdated: null },
  mot: { status: 'NOT_CHECKED', dueDate: null, lastUpdated: null },
  roadTax: { status: 'NOT_CHECKED', paidUntil: null, lastUpdated: null },
  fines: { status: 'NOT_CHECKED', outstanding: null, lastUpdated: null },
};

/** Whether there is no verdict: a check that counts needs a part of the record, and it has none. */
export const lacksRecord = (parts: ComplianceParts, checks: readonly Check[]): boolean =>
  !hasPart(parts) && checks.some((check) => check !== 'insurance');

/**
 * Whether the vehicle may be on the road on this day: the four checks, whether those that count pass, and a reason for
 * each of them that fails. What is unknown fails its check.
 * @param checks those that count
 */
export const verdictOn = (
  today: LondonDate,
  vehicle: Omit<InsuranceRecord, 'registration'>,
  { mot, roadTax, fines }: ComplianceParts,
  checks: readonly Check[],
) => {
  const counts = (check: Check) => checks.includes(check);
  const details: VerdictDetails = {
    insurance: counts('insurance') ? policyOn(today, vehicle) : NOT_CHECKED.insurance,
    mot: counts('mot') ? motOn(today, mot) : NOT_CHECKED.mot,
    roadTax: counts('roadTax') ? roadTaxOn(today, roadTax) : NOT_CHECKED.roadTax,
    fines: counts('fines') ? unpaidFines(fines) : NOT_CHECKED.fines,
  };
  const failed = {
    insurance: REASONS.insurance[details.insurance.status],
    mot: REASONS.mot[details.mot.status],
    roadTax: REASONS.roadTax[details.roadTax.status],
    fines: REASONS.fines[details.fines.status],
  };
  const reasons: Reason[] = Object.values(failed).filter((reason) => reason !== undefined);
  const passes = (check: Check) => counts(check) && failed[check] === undefined;
  return {
    compliant: reasons.length === 0,
    checks: {
      insuranceValid: passes('insurance'),
      motValid: passes('mot'),
      roadTaxPaid: passes('roadTax'),
      noOutstandingFines: passes('fines'),
    },
    reasons,
    details,
  };
};

export interface ComplianceAnswer extends ReturnType<typeof verdictOn> {
  /** The registration as it was sent. */
  readonly registration: string;
  /** The time of the request, ISO 8601 UTC. */
  readonly lastChecked: string;
}

/** The facts of a request that its verdicts depend on. */
export interface VerdictRequest {
  readonly now: Date;
  readonly today: LondonDate;
  readonly checks: readonly Check[];
}

export const complianceAnswer = (
  registration: string,
  vehicle: Omit<InsuranceRecord, 'registration'>,
  parts: ComplianceParts,
  { now, today, checks }: VerdictRequest,
): ComplianceAnswer => ({
  registration,
  ...verdictOn(today, vehicle, parts, checks),
  lastChecked: now.toISOString(),
});

import type { LondonDate } from '../runtime/clock.ts';
import { type Insurance, insuranceOn } from '../vehicles/insurance.ts';
import type { InsuranceRecord } from '../vehicles/vehicle-record.ts';
import type { ComplianceParts } from './compliance-record.ts';

/** The statuses of each source, in the order of the checks, with the reason if a status fails its check. */
const REASONS = {
  insurance: {
    IN_FORCE: undefined,
    LAPSED: 'INSURANCE_LAPSED',
    NOT_STARTED: 'INSURANCE_NOT_STARTED',
    NONE: 'NO_POLICY',
  },
  mot: { VALID: undefined, EXPIRED: 'MOT_EXPIRED', EXEMPT: undefined, UNKNOWN: 'MOT_UNKNOWN' },
  roadTax: { PAID: undefined, EXPIRED: 'TAX_EXPIRED', EXEMPT: undefined, SORN: 'SORN', UNKNOWN: 'TAX_UNKNOWN' },
  fines: { NONE: undefined, OUTSTANDING: 'FINES_OUTSTANDING', UNKNOWN: 'FINES_UNKNOWN' },
} as const;

type Reasons = typeof REASONS;

/** Why a check can fail (docs/contract.md#compliance). */
export type Reason = NonNullable<{ [Source in keyof Reasons]: Reasons[Source][keyof Reasons[Source]] }[keyof Reasons]>;

export type MotStatus = keyof Reasons['mot'];
export type RoadTaxStatus = keyof Reasons['roadTax'];
export type FinesStatus = keyof Reasons['fines'];

interface CheckDetails<Status> {
  readonly status: Status;
  /** When the part last changed at its source, ISO 8601 UTC; null when that is not known. */
  readonly lastUpdated: string | null;
}

/** What the verdict follows from. A date or number is null where there is none. */
interface VerdictDetails {
  readonly insurance: CheckDetails<Insurance['status']> & { readonly validTo: LondonDate | null };
  readonly mot: CheckDetails<MotStatus> & { readonly dueDate: LondonDate | null };
  readonly roadTax: CheckDetails<RoadTaxStatus> & { readonly paidUntil: LondonDate | null };
  readonly fines: CheckDetails<FinesStatus> & { readonly outstanding: number | null };
}

const checkMot = ({ mot }: ComplianceParts, today: LondonDate): Omit<VerdictDetails['mot'], 'lastUpdated'> => {
  if (mot === undefined) return { status: 'UNKNOWN', dueDate: null };
  if ('exempt' in mot) return { status: 'EXEMPT', dueDate: null };
  return { status: today <= mot.dueDate ? 'VALID' : 'EXPIRED', dueDate: mot.dueDate };
};

const checkRoadTax = (
  { roadTax }: ComplianceParts,
  today: LondonDate,
): Omit<VerdictDetails['roadTax'], 'lastUpdated'> => {
  if (roadTax === undefined) return { status: 'UNKNOWN', paidUntil: null };
  if ('sorn' in roadTax) return { status: 'SORN', paidUntil: null };
  if ('exempt' in roadTax) return { status: 'EXEMPT', paidUntil: null };
  return { status: today <= roadTax.paidUntil ? 'PAID' : 'EXPIRED', paidUntil: roadTax.paidUntil };
};

const checkFines = ({ fines }: ComplianceParts): Omit<VerdictDetails['fines'], 'lastUpdated'> => {
  if (fines === undefined) return { status: 'UNKNOWN', outstanding: null };
  return { status: fines.outstanding === 0 ? 'NONE' : 'OUTSTANDING', outstanding: fines.outstanding };
};

/**
 * Whether the vehicle may be on the road on this day: the four checks, whether all of them pass, and a reason for each
 * check that fails.
 */
export const verdictOn = (
  today: LondonDate,
  vehicle: Omit<InsuranceRecord, 'registration'>,
  parts: ComplianceParts,
) => {
  const { status, policy } = insuranceOn(today, vehicle.policies);
  const details: VerdictDetails = {
    insurance: { status, validTo: policy?.validTo ?? null, lastUpdated: vehicle.lastUpdated ?? null },
    mot: { ...checkMot(parts, today), lastUpdated: parts.mot?.lastUpdated ?? null },
    roadTax: { ...checkRoadTax(parts, today), lastUpdated: parts.roadTax?.lastUpdated ?? null },
    fines: { ...checkFines(parts), lastUpdated: parts.fines?.lastUpdated ?? null },
  };
  const failed = {
    insurance: REASONS.insurance[status],
    mot: REASONS.mot[details.mot.status],
    roadTax: REASONS.roadTax[details.roadTax.status],
    fines: REASONS.fines[details.fines.status],
  };
  const reasons: Reason[] = Object.values(failed).filter((reason) => reason !== undefined);
  return {
    compliant: reasons.length === 0,
    checks: {
      insuranceValid: failed.insurance === undefined,
      motValid: failed.mot === undefined,
      roadTaxPaid: failed.roadTax === undefined,
      noOutstandingFines: failed.fines === undefined,
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

export const complianceAnswer = (
  registration: string,
  vehicle: Omit<InsuranceRecord, 'registration'>,
  compliance: ComplianceParts,
  now: Date,
  today: LondonDate,
): ComplianceAnswer => ({ registration, ...verdictOn(today, vehicle, compliance), lastChecked: now.toISOString() });

import { complianceNotFound, vehicleNotFound } from '../problems.ts';
import { type LondonDate, londonDate } from '../runtime/clock.ts';
import { type Insurance, insuranceOn } from '../vehicles/insurance.ts';
import { requireRegistration } from '../vehicles/registration.ts';
import { suggestionFor } from '../vehicles/suggestion.ts';
import type { InsuranceRecord } from '../vehicles/vehicle-record.ts';
import type { ComplianceRecord } from './compliance-record.ts';

/** Why a check can fail, in the order of the checks (docs/contract.md#compliance). */
export type Reason =
  | 'NO_POLICY'
  | 'INSURANCE_LAPSED'
  | 'INSURANCE_NOT_STARTED'
  | 'MOT_EXPIRED'
  | 'TAX_EXPIRED'
  | 'SORN'
  | 'FINES_OUTSTANDING';

/** May the vehicle be on the road? Four checks, their conjunction, and a reason per failed check in their order. */
export interface Verdict {
  readonly compliant: boolean;
  readonly checks: {
    readonly insuranceValid: boolean;
    readonly motValid: boolean;
    readonly roadTaxPaid: boolean;
    readonly noOutstandingFines: boolean;
  };
  readonly reasons: readonly Reason[];
  readonly details: VerdictDetails;
}

/** The status of each other source as it is published. */
export type MotStatus = 'VALID' | 'EXPIRED' | 'EXEMPT';
export type RoadTaxStatus = 'PAID' | 'EXPIRED' | 'EXEMPT' | 'SORN';
export type FinesStatus = 'NONE' | 'OUTSTANDING';

interface SourceDetails<Status> {
  readonly status: Status;
  /** When the record of this source last changed there, ISO 8601 UTC; `null` when that is not known. */
  readonly lastUpdated: string | null;
}

/** What the verdict follows from: status, date and age of each source. A date is `null` where there is none. */
export interface VerdictDetails {
  readonly insurance: SourceDetails<Insurance['status']> & { readonly validTo: LondonDate | null };
  readonly mot: SourceDetails<MotStatus> & { readonly dueDate: LondonDate | null };
  readonly roadTax: SourceDetails<RoadTaxStatus> & { readonly paidUntil: LondonDate | null };
  readonly fines: SourceDetails<FinesStatus> & { readonly outstanding: number };
}

/** A due date is the last good day. */
const checkMot = ({ mot }: ComplianceRecord, today: LondonDate): Pick<VerdictDetails['mot'], 'status' | 'dueDate'> =>
  'exempt' in mot
    ? { status: 'EXEMPT', dueDate: null }
    : { status: today <= mot.dueDate ? 'VALID' : 'EXPIRED', dueDate: mot.dueDate };

const checkRoadTax = (
  { roadTax }: ComplianceRecord,
  today: LondonDate,
): Pick<VerdictDetails['roadTax'], 'status' | 'paidUntil'> => {
  if ('sorn' in roadTax) return { status: 'SORN', paidUntil: null };
  if ('exempt' in roadTax) return { status: 'EXEMPT', paidUntil: null };
  return { status: today <= roadTax.paidUntil ? 'PAID' : 'EXPIRED', paidUntil: roadTax.paidUntil };
};

/** The reason of each status that fails its check; no other status fails. */
const FAILURE_REASONS = {
  insurance: { LAPSED: 'INSURANCE_LAPSED', NOT_STARTED: 'INSURANCE_NOT_STARTED', NONE: 'NO_POLICY' },
  mot: { EXPIRED: 'MOT_EXPIRED' },
  roadTax: { EXPIRED: 'TAX_EXPIRED', SORN: 'SORN' },
  fines: { OUTSTANDING: 'FINES_OUTSTANDING' },
} as const satisfies { [Source in keyof VerdictDetails]: Partial<Record<VerdictDetails[Source]['status'], Reason>> };

const failureReason = (source: keyof VerdictDetails, { status }: { readonly status: string }): Reason | undefined =>
  (FAILURE_REASONS[source] as Partial<Record<string, Reason>>)[status];

/** The verdict on a day in Europe/London, from the vehicle's policies and its compliance record. */
export const verdictOn = (
  today: LondonDate,
  vehicle: Omit<InsuranceRecord, 'registration'>,
  record: ComplianceRecord,
): Verdict => {
  const { status, policy } = insuranceOn(today, vehicle.policies);
  const lastUpdated = record.lastUpdated ?? null;
  const details: VerdictDetails = {
    insurance: { status, validTo: policy?.validTo ?? null, lastUpdated: vehicle.lastUpdated ?? null },
    mot: { ...checkMot(record, today), lastUpdated },
    roadTax: { ...checkRoadTax(record, today), lastUpdated },
    fines: {
      status: record.outstandingFines === 0 ? 'NONE' : 'OUTSTANDING',
      outstanding: record.outstandingFines,
      lastUpdated,
    },
  };
  const failed = {
    insurance: failureReason('insurance', details.insurance),
    mot: failureReason('mot', details.mot),
    roadTax: failureReason('roadTax', details.roadTax),
    fines: failureReason('fines', details.fines),
  };
  const reasons = Object.values(failed).filter((reason) => reason !== undefined);
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

/** The body of a compliance lookup. */
export interface ComplianceAnswer extends Verdict {
  /** As it was queried. */
  readonly registration: string;
  /** The time of the request, ISO 8601 UTC. */
  readonly lastChecked: string;
}

/** The records that a verdict follows from; undefined where there is none. */
interface Sources {
  readonly vehicle: Omit<InsuranceRecord, 'registration'> | undefined;
  readonly compliance: ComplianceRecord | undefined;
}

/** @throws VEHICLE_NOT_FOUND, COMPLIANCE_NOT_FOUND without the record */
export const complianceAnswer = (
  registration: string,
  { vehicle, compliance }: Sources,
  now: Date,
): ComplianceAnswer => {
  const today = londonDate(now);
  if (vehicle === undefined) throw vehicleNotFound(suggestionFor(requireRegistration(registration), today));
  if (compliance === undefined) throw complianceNotFound();
  return { registration, ...verdictOn(today, vehicle, compliance), lastChecked: now.toISOString() };
};

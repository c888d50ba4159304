import type { LondonDate } from '../runtime/clock.ts';
import { type Insurance, insuranceOn, isInsured } from '../vehicles/insurance.ts';
import type { Policy } from '../vehicles/record.ts';
import type { ComplianceRecord } from './record.ts';

/** Why a check can fail, in the order of the checks (contract.md "Compliance"). */
export const REASONS = [
  'NO_POLICY',
  'INSURANCE_LAPSED',
  'INSURANCE_NOT_STARTED',
  'MOT_EXPIRED',
  'TAX_EXPIRED',
  'SORN',
  'FINES_OUTSTANDING',
] as const;

export type Reason = (typeof REASONS)[number];

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
}

const INSURANCE_REASONS = {
  'in force': undefined,
  lapsed: 'INSURANCE_LAPSED',
  'not started': 'INSURANCE_NOT_STARTED',
  none: 'NO_POLICY',
} as const satisfies Record<Insurance['state'], Reason | undefined>;

/** A due date is the last good day; no due date means exempt. */
const isMotValid = ({ mot }: ComplianceRecord, today: LondonDate): boolean => 'exempt' in mot || today <= mot.dueDate;

const taxReason = ({ roadTax }: ComplianceRecord, today: LondonDate): Reason | undefined => {
  if ('sorn' in roadTax) return 'SORN';
  return 'exempt' in roadTax || today <= roadTax.paidUntil ? undefined : 'TAX_EXPIRED';
};

/** The verdict on a day in Europe/London, from the vehicle's policies and its compliance record. */
export const verdictOn = (today: LondonDate, policies: readonly Policy[], record: ComplianceRecord): Verdict => {
  const insurance = insuranceOn(today, policies);
  const tax = taxReason(record, today);
  const checks = {
    insuranceValid: isInsured(insurance),
    motValid: isMotValid(record, today),
    roadTaxPaid: tax === undefined,
    noOutstandingFines: record.outstandingFines === 0,
  };
  const reasons: (Reason | undefined)[] = [
    INSURANCE_REASONS[insurance.state],
    checks.motValid ? undefined : 'MOT_EXPIRED',
    tax,
    checks.noOutstandingFines ? undefined : 'FINES_OUTSTANDING',
  ];
  return {
    compliant: Object.values(checks).every(Boolean),
    checks,
    reasons: reasons.filter((reason) => reason !== undefined),
  };
};

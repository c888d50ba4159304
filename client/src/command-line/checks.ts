import type { VehicleVerification } from '../index.ts';

type Cells = readonly (string | number | boolean | null | undefined)[];

/** One kind of check. */
export interface Check {
  /** The added columns. The last one is the error code of a vehicle without an answer, which is neither insured nor uninsured. */
  readonly names: readonly string[];
  /** The cells of these columns, for each registration. */
  readonly lookUp: (registrations: readonly string[], signal: AbortSignal) => Promise<Cells[]>;
}

const FAILURE = ['suggestion', 'error'];
const INSURANCE = ['insured', 'policy_number', 'insurer', 'cover', 'valid_from', 'valid_to'];
const COMPLIANCE = [
  'compliant',
  'reasons',
  'insurance_valid_to',
  'mot_due',
  'road_tax_paid_until',
  'outstanding_fines',
];

/** The cells of a vehicle without an answer. */
export const failureCells = ({ names }: Pick<Check, 'names'>, code: string, suggestion = ''): Cells => [
  ...Array<string>(names.length - FAILURE.length).fill(''),
  suggestion,
  code,
];

/** Checks insurance on a day (YYYY-MM-DD), by default today. */
export const insuranceCheck = (client: VehicleVerification, date: string | undefined): Check => {
  const names = [...INSURANCE, ...FAILURE];
  return {
    names,
    lookUp: async (registrations, signal) => {
      const entries = await client.verify(registrations, { date, signal });
      return entries.map((entry) => {
        if ('code' in entry) return failureCells({ names }, entry.code, entry.suggestion);
        const { number, insurer, type, validFrom, validTo } = entry.policy ?? {};
        return [entry.insured, number, insurer, type, validFrom, validTo, '', ''];
      });
    },
  };
};

/** Checks compliance today. */
export const complianceCheck = (client: VehicleVerification): Check => {
  const names = [...COMPLIANCE, ...FAILURE];
  return {
    names,
    lookUp: async (registrations, signal) => {
      const entries = await client.verifyCompliance(registrations, { signal });
      return entries.map((entry) => {
        if ('code' in entry) return failureCells({ names }, entry.code, entry.suggestion);
        // A faulty service may omit the details; the verdict is valid without them.
        const { insurance, mot, roadTax, fines } = entry.details ?? {};
        const dates = [insurance?.validTo, mot?.dueDate, roadTax?.paidUntil];
        return [entry.compliant, [entry.reasons].flat().join(' '), ...dates, fines?.outstanding, '', ''];
      });
    },
  };
};

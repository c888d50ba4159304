import type { VehicleVerification } from '../index.ts';

type Cells = readonly (string | number | boolean | null | undefined)[];

/** What is asked about each vehicle. */
export interface Check {
  /** The columns that it adds. The last one is why a vehicle has no answer: it is then neither insured nor uninsured. */
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

/** Insurance on a day; today when it is not given. */
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

export const complianceCheck = (client: VehicleVerification): Check => {
  const names = [...COMPLIANCE, ...FAILURE];
  return {
    names,
    lookUp: async (registrations, signal) => {
      const entries = await client.verifyCompliance(registrations, { signal });
      return entries.map((entry) => {
        if ('code' in entry) return failureCells({ names }, entry.code, entry.suggestion);
        // The verdict counts even when a faulty service leaves out what it is from.
        const { insurance, mot, roadTax, fines } = entry.details ?? {};
        const dates = [insurance?.validTo, mot?.dueDate, roadTax?.paidUntil];
        return [entry.compliant, [entry.reasons].flat().join(' '), ...dates, fines?.outstanding, '', ''];
      });
    },
  };
};

import type { VehicleVerification } from '../index.ts';

/** The cells of the added columns, as the result has them. */
export type Cells = readonly string[];

/** What is asked of every vehicle. */
export interface LookupOptions {
  readonly date: string | undefined;
  readonly signal: AbortSignal;
}

/** One kind of check. */
export interface Check {
  /** The added columns. The first one is the verdict, the last one the error code of a vehicle without an answer. */
  readonly names: readonly string[];
  /** What a vehicle with an answer is, by its verdict. */
  readonly outcomes: Readonly<Record<'true' | 'false', string>>;
  /** What has changed: the verdict, or only what the second column says. */
  readonly changes: Readonly<Record<'toTrue' | 'toFalse' | 'other', string>>;
  /** What ends on the day in a column. */
  readonly ends: Readonly<Record<string, string>>;
  /** Whether a vehicle with an answer is insured. */
  readonly isInsured: (cells: Cells) => boolean;
  /** The cells for each registration. */
  readonly lookUp: (
    client: VehicleVerification,
    registrations: readonly string[],
    options: LookupOptions,
  ) => Promise<readonly Cells[]>;
}

const FAILURE = ['suggestion', 'error'];

const cellsOf = (values: readonly (string | number | boolean | null | undefined)[]): Cells =>
  values.map((value) => `${value ?? ''}`);

/** The cells of a vehicle without an answer. */
export const failureCells = ({ names }: Pick<Check, 'names'>, code: string, suggestion = ''): Cells => [
  ...Array<string>(names.length - FAILURE.length).fill(''),
  suggestion,
  code,
];

/** Insurance on a day (YYYY-MM-DD), by default today. */
export const insuranceCheck: Check = {
  names: ['insured', 'policy_number', 'insurer', 'cover', 'valid_from', 'valid_to', ...FAILURE],
  outcomes: { true: 'insured', false: 'not insured' },
  changes: { toTrue: 'insured again', toFalse: 'newly uninsured', other: 'changed policy' },
  ends: { valid_to: 'insurance' },
  isInsured: ([insured]) => insured === 'true',
  lookUp: async (client, registrations, asked) => {
    const entries = await client.verify(registrations, asked);
    return entries.map((entry) => {
      if ('code' in entry) return failureCells(insuranceCheck, entry.code, entry.suggestion);
      const { number, insurer, type, validFrom, validTo } = entry.policy ?? {};
      return cellsOf([entry.insured, number, insurer, type, validFrom, validTo, '', '']);
    });
  },
};

/** The reasons of a vehicle that is not insured. */
const NOT_INSURED = /\b(NO_POLICY|INSURANCE_\w+)/;

/** Compliance today. */
export const complianceCheck: Check = {
  names: [
    ...['compliant', 'reasons', 'insurance_valid_to', 'mot_due', 'road_tax_paid_until', 'outstanding_fines'],
    ...FAILURE,
  ],
  outcomes: { true: 'compliant', false: 'not compliant' },
  changes: { toTrue: 'compliant again', toFalse: 'newly not compliant', other: 'changed reasons' },
  ends: { insurance_valid_to: 'insurance', mot_due: 'MOT', road_tax_paid_until: 'road tax' },
  isInsured: ([, reasons = '']) => !NOT_INSURED.test(reasons),
  lookUp: async (client, registrations, { signal }) => {
    const entries = await client.verifyCompliance(registrations, { signal });
    return entries.map((entry) => {
      if ('code' in entry) return failureCells(complianceCheck, entry.code, entry.suggestion);
      // A faulty service may omit the details; the verdict is valid without them.
      const { insurance, mot, roadTax, fines } = entry.details ?? {};
      const dates = [insurance?.validTo, mot?.dueDate, roadTax?.paidUntil];
      return cellsOf([entry.compliant, [entry.reasons].flat().join(' '), ...dates, fines?.outstanding, '', '']);
    });
  },
};

import type { ComplianceEntry, InsuranceEntry } from '../index.ts';
import type { Lookups } from './lookups.ts';

/** The cells of the added columns, as the result has them. */
export type Cells = readonly string[];

/** One kind of check. */
export interface Check {
  /** The added columns. The first one is the verdict, the last one the error code of a vehicle without an answer. */
  readonly columns: readonly string[];
  /** What a vehicle with an answer is, by its verdict. */
  readonly outcomes: Readonly<Record<'true' | 'false', string>>;
  /** What has changed: the verdict, or only what the second column says. */
  readonly changes: Readonly<Record<'toTrue' | 'toFalse' | 'other', string>>;
  /** What ends on the day in a column. */
  readonly ends: Readonly<Record<string, string>>;
  /** Whether a vehicle with an answer is insured. */
  readonly isInsured: (cells: Cells) => boolean;
  /** The member of an entry that has the verdict. */
  readonly verdict: 'insured' | 'compliant';
  /** Looks registrations up, one entry each. @param date YYYY-MM-DD, by default today */
  readonly lookUp: (lookups: Lookups, registrations: readonly string[], date?: string) => Promise<readonly unknown[]>;
  /** The cells of an entry of this kind of lookup. */
  readonly cellsOf: (entry: unknown) => Cells;
}

const FAILURE = ['suggestion', 'error'];

const toCells = (values: readonly (string | number | boolean | null | undefined)[]): Cells =>
  values.map((value) => `${value ?? ''}`);

/** The cells of a vehicle without an answer. */
export const failureCells = ({ columns }: Check, code: string, suggestion = ''): Cells => [
  ...Array<string>(columns.length - FAILURE.length).fill(''),
  suggestion,
  code,
];

/** Insurance on a day (YYYY-MM-DD), by default today. */
export const insuranceCheck: Check = {
  columns: ['insured', 'policy_number', 'insurer', 'cover', 'valid_from', 'valid_to', ...FAILURE],
  outcomes: { true: 'insured', false: 'not insured' },
  changes: { toTrue: 'insured again', toFalse: 'newly uninsured', other: 'changed policy' },
  ends: { valid_to: 'insurance' },
  isInsured: ([insured]) => insured === 'true',
  verdict: 'insured',
  lookUp: (lookups, registrations, date) => lookups.insurance(registrations, date),
  cellsOf: (found) => {
    const entry = found as InsuranceEntry;
    if ('code' in entry) return failureCells(insuranceCheck, entry.code, entry.suggestion);
    const { number, insurer, type, validFrom, validTo } = entry.policy ?? {};
    return toCells([entry.insured, number, insurer, type, validFrom, validTo, '', '']);
  },
};

/** The reasons of a vehicle that is not insured. */
const NOT_INSURED = /\b(NO_POLICY|INSURANCE_\w+)/;

/** Compliance today. */
export const complianceCheck: Check = {
  columns: [
    ...['compliant', 'reasons', 'insurance_valid_to', 'mot_due', 'road_tax_paid_until', 'outstanding_fines'],
    ...FAILURE,
  ],
  outcomes: { true: 'compliant', false: 'not compliant' },
  changes: { toTrue: 'compliant again', toFalse: 'newly not compliant', other: 'changed reasons' },
  ends: { insurance_valid_to: 'insurance', mot_due: 'MOT', road_tax_paid_until: 'road tax' },
  isInsured: ([, reasons = '']) => !NOT_INSURED.test(reasons),
  verdict: 'compliant',
  lookUp: (lookups, registrations) => lookups.compliance(registrations),
  cellsOf: (found) => {
    const entry = found as ComplianceEntry;
    if ('code' in entry) return failureCells(complianceCheck, entry.code, entry.suggestion);
    // A faulty service may omit the details; the verdict is valid without them.
    const { insurance, mot, roadTax, fines } = entry.details ?? {};
    const dates = [insurance?.validTo, mot?.dueDate, roadTax?.paidUntil];
    return toCells([entry.compliant, [entry.reasons].flat().join(' '), ...dates, fines?.outstanding, '', '']);
  },
};

import type { ComplianceEntry, InsuranceEntry, SignedAnswer, VehicleVerification } from '../index.ts';
import type { OutputFile } from './result-file.ts';

/** Lookups of many vehicles, one entry each, in order. */
export interface Lookups {
  /** @param date YYYY-MM-DD, by default today */
  readonly insurance: (registrations: readonly string[], date?: string) => Promise<readonly InsuranceEntry[]>;
  readonly compliance: (registrations: readonly string[]) => Promise<readonly ComplianceEntry[]>;
}

/** The lookups of a client. With a file for receipts every answer is signed, and its receipts are written there. */
export const openLookups = (
  client: VehicleVerification,
  signal: AbortSignal,
  receipts: OutputFile | undefined,
): Lookups => {
  if (receipts === undefined) {
    return {
      insurance: (registrations, date) => client.verify(registrations, { date, signal }),
      compliance: (registrations) => client.verifyCompliance(registrations, { signal }),
    };
  }
  const keep = async <Answer>(signed: Promise<SignedAnswer<Answer>>): Promise<Answer> => {
    const { answer, receipt } = await signed;
    if (receipt !== '') await receipts.write(`${receipt}\n`);
    return answer;
  };
  return {
    insurance: (registrations, date) => keep(client.verify(registrations, { date, signal, signed: true })),
    compliance: (registrations) => keep(client.verifyCompliance(registrations, { signal, signed: true })),
  };
};

/** The cells of the added columns, as in the result. */
export type Cells = readonly string[];

/** One kind of check. */
export interface Check {
  /** The added columns. The first one is the verdict, the last one the error code of a vehicle without an answer. */
  readonly columns: readonly string[];
  /** In words, by verdict. */
  readonly outcomes: Readonly<Record<'true' | 'false', string>>;
  /** A change in words: of the verdict, or only of the second column. */
  readonly changes: Readonly<Record<'toTrue' | 'toFalse' | 'other', string>>;
  /** By column: what ends on the day in it. */
  readonly ends: Readonly<Record<string, string>>;
  /** Whether a vehicle with an answer is insured. */
  readonly isInsured: (cells: Cells) => boolean;
  /** The member of an entry that has the verdict. */
  readonly verdict: 'insured' | 'compliant';
  readonly lookUp: (lookups: Lookups, registrations: readonly string[], date?: string) => Promise<readonly unknown[]>;
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
  columns: ['insured', 'policy_number', 'insurer', 'cover', 'valid_from', 'valid_to', 'status', ...FAILURE],
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
    return toCells([entry.insured, number, insurer, type, validFrom, validTo, entry.status, '', '']);
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

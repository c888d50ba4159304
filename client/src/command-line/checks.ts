import { randomInt } from 'node:crypto';
import { containsRegistration } from '../../../core/reference.ts';
import { londonDate } from '../../../core/runtime/clock.ts';
import type { ComplianceEntry, InsuranceEntry, InsuranceOptions, Sources, VehicleVerification } from '../index.ts';
import { CannotRun } from './failure.ts';
import type { FleetFile } from './fleet-file.ts';

/** With them the letters make no word. */
const CONSONANTS = 'bcdfghjklmnpqrstvwxz';

/**
 * The reference of a check: the given one, otherwise the day and eight random consonants.
 * @throws CannotRun when the given one contains a registration of the list
 */
export const chooseReference = (given: string | undefined, list: Pick<FleetFile, 'rows' | 'columnIndex'>): string => {
  const registrations = list.rows.map(({ cells }) => cells[list.columnIndex] ?? '');
  const letters = Array.from({ length: 8 }, () => CONSONANTS.charAt(randomInt(CONSONANTS.length))).join('');
  const reference = given ?? `${londonDate(new Date())}-${letters}`;
  if (!containsRegistration(reference, registrations)) return reference;
  if (given === undefined) return chooseReference(given, list);
  throw new CannotRun('--reference contains a registration of the list: give another one.');
};

/** What a check adds to a row, by the names of its columns. A column that is left out is blank. */
export type Cells = Readonly<Record<string, string>>;

interface Answer {
  readonly entry: InsuranceEntry | ComplianceEntry;
  readonly cells: Cells;
}

export interface Check {
  /** The added columns. The first one is the verdict. */
  readonly columns: readonly string[];
  /** Those of the added columns that the list of vehicles which are not insured has too. */
  readonly listed: readonly string[];
  /** The verdicts in words. */
  readonly outcomes: Readonly<Record<'true' | 'false', string>>;
  /** The column whose change counts when the verdict is the same. */
  readonly compared: string;
  /** A change in words: of the verdict, or only of the compared column. */
  readonly changes: Readonly<Record<'toTrue' | 'toFalse' | 'other', string>>;
  /** What ends on the day in a column, by the name of the column. */
  readonly ends: Readonly<Record<string, string>>;
  /** Whether a vehicle with an answer is insured; undefined where the answer leaves insurance out. */
  readonly isInsured: (cells: Cells) => boolean | undefined;
  readonly lookUp: (
    client: VehicleVerification,
    registrations: readonly string[],
    options: InsuranceOptions,
  ) => Promise<readonly Answer[]>;
}

/** The error code of a vehicle without an answer is in the last one. */
const FAILURE = ['suggestion', 'error'];

/**
 * Where a row is in the list, and when and with what reference its vehicle was looked up; blank when it was not. Of a
 * vehicle that is unknown or, in a check of insurance, not insured, also how many suppliers were current.
 */
const PLACE = ['row', 'sheet', 'checked_at', 'reference', 'sources'];

export const resultColumns = ({ columns }: Check): string[] => [...columns, ...PLACE];

export const notInsuredColumns = ({ listed }: Check): string[] => ['answer', ...listed, ...PLACE];

const textOf = (values: Readonly<Record<string, string | number | boolean | null | undefined>>): Cells =>
  Object.fromEntries(Object.entries(values).map(([column, value]) => [column, `${value ?? ''}`]));

const insuranceCells = (entry: InsuranceEntry): Cells => {
  if ('code' in entry) return textOf({ suggestion: entry.suggestion, error: entry.code });
  const { number: policy_number, insurer, type: cover, validFrom: valid_from, validTo: valid_to } = entry.policy ?? {};
  const { insured, status } = entry;
  return textOf({ insured, policy_number, insurer, cover, valid_from, valid_to, status });
};

/** Insurance on a day (YYYY-MM-DD), by default today. */
export const insuranceCheck: Check = {
  columns: ['insured', 'policy_number', 'insurer', 'cover', 'valid_from', 'valid_to', 'status', ...FAILURE],
  listed: ['status', 'valid_to', 'suggestion'],
  outcomes: { true: 'insured', false: 'not insured' },
  compared: 'policy_number',
  changes: { toTrue: 'insured again', toFalse: 'newly uninsured', other: 'changed policy' },
  ends: { valid_to: 'insurance' },
  isInsured: ({ insured }) => insured === 'true',
  lookUp: async (client, registrations, options) =>
    (await client.verify(registrations, options)).map((entry) => ({ entry, cells: insuranceCells(entry) })),
};

/** Insurance today, for a key that sees no policies. */
export const statusCheck: Check = {
  ...insuranceCheck,
  columns: ['insured', 'status', ...FAILURE],
  listed: ['status', 'suggestion'],
  compared: 'status',
  changes: { ...insuranceCheck.changes, other: 'changed status' },
  ends: {},
};

const complianceCells = (entry: ComplianceEntry): Cells => {
  if ('code' in entry) return textOf({ suggestion: entry.suggestion, error: entry.code });
  // A faulty service may omit the details; the verdict is valid without them.
  const { insurance, mot, roadTax, fines } = entry.details ?? {};
  return textOf({
    compliant: entry.compliant,
    reasons: [entry.reasons].flat().join(' '),
    insurance_valid_to: insurance?.validTo,
    mot_due: mot?.dueDate,
    road_tax_paid_until: roadTax?.paidUntil,
    outstanding_fines: fines?.outstanding,
  });
};

const NOT_INSURED = /\b(NO_POLICY|INSURANCE_\w+)/;

/** Compliance today. */
export const complianceCheck: Check = {
  columns: [
    ...['compliant', 'reasons', 'insurance_valid_to', 'mot_due', 'road_tax_paid_until', 'outstanding_fines'],
    ...FAILURE,
  ],
  listed: ['reasons', 'insurance_valid_to', 'suggestion'],
  outcomes: { true: 'compliant', false: 'not compliant' },
  compared: 'reasons',
  changes: { toTrue: 'compliant again', toFalse: 'newly not compliant', other: 'changed reasons' },
  ends: { insurance_valid_to: 'insurance', mot_due: 'MOT', road_tax_paid_until: 'road tax' },
  isInsured: ({ reasons = '', insurance_valid_to: validTo }) => {
    if (NOT_INSURED.test(reasons)) return false;
    // An insured vehicle has a policy with a last day.
    return validTo ? true : undefined;
  },
  lookUp: async (client, registrations, options) =>
    (await client.verifyCompliance(registrations, options)).map((entry) => ({ entry, cells: complianceCells(entry) })),
};

const UNKNOWN_VEHICLE = 'VEHICLE_NOT_FOUND';

const FAILURES: Readonly<Record<string, string>> = {
  [UNKNOWN_VEHICLE]: 'unknown',
  COMPLIANCE_NOT_FOUND: 'no record',
  INVALID_REGISTRATION: 'invalid',
  NO_REGISTRATION: 'no registration',
  CUT_OFF: 'cut off',
};

/** A row whose registration or answer could not be read, in words. */
export const NOT_READ = 'not read';

/** A row of totals, in words. */
export const NO_REGISTRATION = 'no registration';

export const FAILURE_NAMES = [...Object.values(FAILURES), NOT_READ];

/** The outcome of a row in words, such as `insured` or `unknown`. A row with any other error code was not read. */
export const outcomeOf = (check: Check, cells: Cells): string => {
  if (cells.error) return FAILURES[cells.error] ?? NOT_READ;
  return check.outcomes[cells[check.columns[0] ?? ''] === 'true' ? 'true' : 'false'];
};

/** How many suppliers were current, as "2 of 3", for an unknown vehicle or an answer about insurance that is no. */
export const sourcesCell = (cells: Cells, sources: Sources | undefined): string => {
  const isMissing = cells.error === UNKNOWN_VEHICLE || cells.insured === 'false';
  return sources && isMissing ? `${sources.current} of ${sources.expected}` : '';
};

export const formatNumber = (value: number): string => value.toLocaleString('en-GB');

/** Text that cannot be mistaken for anything but a registration. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N} .-]{0,31}$/u;

/** Characters of any other text that are shown. */
const MAX_SHOWN = 100;

/** The answer about a vehicle in one line. @param day the day that was asked for; undefined for today */
export const answerLine = (check: Check, registration: string, cells: Cells, day: string | undefined): string => {
  const details = check.columns.slice(1, -1).flatMap((column) => (cells[column] ? `${column} ${cells[column]}` : []));
  // A vehicle without an answer has none on any day.
  const on = day === undefined || cells.error ? '' : ` on ${day}`;
  const shown = PLAIN.test(registration) ? registration : JSON.stringify(registration.slice(0, MAX_SHOWN));
  return [shown, `${outcomeOf(check, cells)}${on}`, ...details].join(', ');
};

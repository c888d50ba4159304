import { type Cells, type Check, complianceCheck } from './checks.ts';

const FAILURES: Readonly<Record<string, string>> = {
  VEHICLE_NOT_FOUND: 'unknown',
  COMPLIANCE_NOT_FOUND: 'no record',
  INVALID_REGISTRATION: 'invalid',
  NO_REGISTRATION: 'no registration',
};

/** A row whose registration or answer could not be read, in words. */
export const NOT_READ = 'not read';

/** A row of totals, in words. */
export const NO_REGISTRATION = 'no registration';

/** Numbers of rows. */
export interface Counts {
  rows: number;
  /** By what a row is, in words. */
  readonly outcomes: Map<string, number>;
  /** By reason of a vehicle that is not compliant. */
  readonly reasons: Map<string, number>;
  insured: number;
  notInsured: number;
  suggestions: number;
}

export const noCounts = (): Counts => ({
  ...{ rows: 0, insured: 0, notInsured: 0, suggestions: 0 },
  ...{ outcomes: new Map(), reasons: new Map() },
});

export const formatNumber = (value: number): string => value.toLocaleString('en-GB');

/** What a row is, in words: `insured`, `unknown`. Any other code belongs to a row that was not read. */
export const outcomeOf = (check: Check, cells: Cells): string => {
  const error = cells.at(-1);
  if (error) return FAILURES[error] ?? NOT_READ;
  return check.outcomes[cells[0] === 'true' ? 'true' : 'false'];
};

const increment = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

export const countRow = (counts: Counts, check: Check, cells: Cells): void => {
  counts.rows += 1;
  increment(counts.outcomes, outcomeOf(check, cells));
  if (cells.at(-2)) counts.suggestions += 1;
  if (cells.at(-1)) return;
  if (check.isInsured(cells)) counts.insured += 1;
  else counts.notInsured += 1;
  if (check !== complianceCheck) return;
  for (const reason of (cells[1] ?? '').split(' ')) if (reason !== '') increment(counts.reasons, reason);
};

/** Rows of vehicles without an answer. */
export const failedRows = ({ rows, insured, notInsured, outcomes }: Counts): number =>
  rows - insured - notInsured - (outcomes.get(NO_REGISTRATION) ?? 0);

export const unreadRows = ({ outcomes }: Counts): number => outcomes.get(NOT_READ) ?? 0;

/** What a row without an answer is, in words. */
export const FAILURE_NAMES = [...new Set(Object.values(FAILURES)), NOT_READ];

/** The counts in one line, for the progress bar. */
export const shortSummary = (check: Check, { outcomes }: Counts): string =>
  [check.outcomes.true, check.outcomes.false, ...FAILURE_NAMES]
    .flatMap((name) => (outcomes.has(name) ? [`${formatNumber(outcomes.get(name) ?? 0)} ${name}`] : []))
    .join(', ');

/** The counts, one in each line. */
export const summaryLines = (check: Check, counts: Counts): string[] => {
  const line = (name: string, count: number, remark = '') =>
    `  ${name.padEnd(25)}${formatNumber(count).padStart(9)}${remark}`;
  const outcomeLine = (name: string, remark = '') => line(name, counts.outcomes.get(name) ?? 0, remark);
  const remark = counts.suggestions > 0 ? `  (${formatNumber(counts.suggestions)} with a suggestion)` : '';
  const isCompliance = check === complianceCheck;
  return [
    outcomeLine(check.outcomes.true),
    outcomeLine(check.outcomes.false),
    ...[...counts.reasons].toSorted(([, a], [, b]) => b - a).map(([name, count]) => line(`  ${name}`, count)),
    ...(isCompliance ? [line('insured', counts.insured), line('not insured', counts.notInsured)] : []),
    ...FAILURE_NAMES.filter(
      (name) => counts.outcomes.has(name) || (name !== NO_REGISTRATION && (isCompliance || name !== 'no record')),
    ).map((name) => outcomeLine(name, name === 'unknown' ? remark : '')),
  ];
};

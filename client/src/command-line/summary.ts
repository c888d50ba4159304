import { type Cells, type Check, complianceCheck } from './checks.ts';

/** Numbers of rows: by outcome, by reason, and of suggestions. */
export type Counts = Readonly<Record<string, number>>;

const FAILURES: Readonly<Record<string, string>> = {
  VEHICLE_NOT_FOUND: 'unknown',
  COMPLIANCE_NOT_FOUND: 'no record',
  INVALID_REGISTRATION: 'invalid',
  TOO_MANY_CELLS: 'invalid',
  MALFORMED_ROW: 'invalid',
};
const SUGGESTIONS = 'suggestions';

/** A number with separators of thousands. */
export const formatNumber = (value: number): string => value.toLocaleString('en-GB');

/** What a row is, in words: `insured`, `unknown`. A code of a later version counts as not read. */
export const outcomeOf = (check: Check, cells: Cells): string => {
  const error = cells.at(-1);
  if (error) return FAILURES[error] ?? 'not read';
  return check.outcomes[cells[0] === 'true' ? 'true' : 'false'];
};

/** What a row counts as. A compliance verdict counts its reasons and its insurance too. */
const labelsOf = (check: Check, cells: Cells): string[] => {
  const labels = [outcomeOf(check, cells), ...(cells.at(-2) ? [SUGGESTIONS] : [])];
  if (check !== complianceCheck || cells.at(-1)) return labels;
  const reasons = (cells[1] ?? '').split(' ').filter((reason) => reason !== '');
  return [...labels, ...reasons, check.isInsured(cells) ? 'insured' : 'not insured'];
};

/** Adds the rows with these cells to the counts. */
export const countRows = (counts: Counts, check: Check, rows: readonly Cells[]): Counts => {
  const total = new Map(Object.entries(counts));
  for (const label of rows.flatMap((cells) => labelsOf(check, cells))) total.set(label, (total.get(label) ?? 0) + 1);
  return Object.fromEntries(total);
};

const outcomesOf = (check: Check): string[] => {
  const failures = [...new Set(Object.values(FAILURES)), 'not read'];
  return [check.outcomes.true, check.outcomes.false, ...failures];
};

/** Number of rows without an answer. */
export const failedRows = (check: Check, rows: number, counts: Counts): number =>
  rows - (counts[check.outcomes.true] ?? 0) - (counts[check.outcomes.false] ?? 0);

/** The counts in one line, for the progress bar. */
export const shortSummary = (check: Check, counts: Counts): string =>
  outcomesOf(check)
    .flatMap((name) => (counts[name] ? [`${formatNumber(counts[name])} ${name}`] : []))
    .join(', ');

/** The counts, one in each line. */
export const summaryLines = (check: Check, counts: Counts): string[] => {
  const line = (name: string, indent = '', remark = '') =>
    `  ${(indent + name).padEnd(25)}${formatNumber(counts[name] ?? 0).padStart(9)}${remark}`;
  const suggestions = counts[SUGGESTIONS] ?? 0;
  const remark = suggestions > 0 ? `  (${formatNumber(suggestions)} with a suggestion)` : '';
  const failures = outcomesOf(check).slice(2);
  const isCompliance = check === complianceCheck;
  const reasons = Object.keys(counts).filter((name) => name === name.toUpperCase());
  return [
    line(check.outcomes.true),
    line(check.outcomes.false),
    ...reasons.toSorted((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0)).map((name) => line(name, '  ')),
    ...(isCompliance ? [line('insured'), line('not insured')] : []),
    ...failures
      .filter((name) => isCompliance || name !== 'no record')
      .map((name) => line(name, '', name === 'unknown' ? remark : '')),
  ];
};

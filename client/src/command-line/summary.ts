import {
  type Cells,
  type Check,
  complianceCheck,
  FAILURE_NAMES,
  NO_REGISTRATION,
  NOT_READ,
  outcomeOf,
} from './checks.ts';

/** Numbers of rows. */
export interface Counts {
  readonly rows: number;
  /** By what a row is, in words. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** By reason of a vehicle that is not compliant. */
  readonly reasons: ReadonlyMap<string, number>;
  readonly insured: number;
  readonly notInsured: number;
  readonly suggestions: number;
}

const countEach = (names: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

export const countRows = (check: Check, rows: readonly { readonly cells: Cells }[]): Counts => {
  const answered = rows.filter(({ cells }) => !cells.at(-1));
  const insured = answered.filter(({ cells }) => check.isInsured(cells)).length;
  const reasons = check === complianceCheck ? answered.flatMap(({ cells }) => cells[1]?.split(' ') ?? []) : [];
  return {
    rows: rows.length,
    outcomes: countEach(rows.map(({ cells }) => outcomeOf(check, cells))),
    reasons: countEach(reasons.filter((reason) => reason !== '')),
    insured,
    notInsured: answered.length - insured,
    suggestions: rows.filter(({ cells }) => cells.at(-2)).length,
  };
};

export const formatNumber = (value: number): string => value.toLocaleString('en-GB');

/** Rows of vehicles without an answer. */
export const failedRows = ({ rows, insured, notInsured, outcomes }: Counts): number =>
  rows - insured - notInsured - (outcomes.get(NO_REGISTRATION) ?? 0);

export const unreadRows = ({ outcomes }: Counts): number => outcomes.get(NOT_READ) ?? 0;

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

import type { Sources } from '../index.ts';
import {
  type Cells,
  type Check,
  complianceCheck,
  FAILURE_NAMES,
  NO_REGISTRATION,
  NOT_READ,
  outcomeOf,
} from './checks.ts';

export interface Counts {
  readonly rows: number;
  /** Number of rows by outcome in words. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Number of rows by reason why a vehicle is not compliant. */
  readonly reasons: ReadonlyMap<string, number>;
  /** Number of rows whose vehicle is not compliant only because a source has said nothing about it. */
  readonly onlyUnknown: number;
  readonly insured: number;
  readonly notInsured: number;
  /** Rows of vehicles without an answer. */
  readonly failed: number;
}

const countEach = (names: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

export const countRows = (check: Check, rows: readonly { readonly cells: Cells }[]): Counts => {
  const answered = rows.filter(({ cells }) => !cells.at(-1));
  const insurance = answered.map(({ cells }) => check.isInsured(cells));
  const reasons =
    check === complianceCheck ? answered.map(({ cells }) => cells[1]?.split(' ').filter(Boolean) ?? []) : [];
  const outcomes = countEach(rows.map(({ cells }) => outcomeOf(check, cells)));
  return {
    rows: rows.length,
    outcomes,
    reasons: countEach(reasons.flat()),
    onlyUnknown: reasons.filter((each) => each.length > 0 && each.every((reason) => reason.endsWith('_UNKNOWN')))
      .length,
    insured: insurance.filter((isInsured) => isInsured === true).length,
    notInsured: insurance.filter((isInsured) => isInsured === false).length,
    failed: rows.length - answered.length - (outcomes.get(NO_REGISTRATION) ?? 0),
  };
};

export const formatNumber = (value: number): string => value.toLocaleString('en-GB');

export const unreadRows = ({ outcomes }: Counts): number => outcomes.get(NOT_READ) ?? 0;

/** The counts, one in each line. */
export const summaryLines = (check: Check, counts: Counts): string[] => {
  const line = (name: string, count = 0) => `  ${name.padEnd(25)}${formatNumber(count).padStart(9)}`;
  const { outcomes, reasons, onlyUnknown, insured, notInsured } = counts;
  return [
    line(check.outcomes.true, outcomes.get(check.outcomes.true)),
    line(check.outcomes.false, outcomes.get(check.outcomes.false)),
    ...[...reasons].toSorted(([, a], [, b]) => b - a).map(([name, count]) => line(`  ${name}`, count)),
    ...(onlyUnknown > 0 ? [line('  only unknown', onlyUnknown)] : []),
    ...(check === complianceCheck ? [line('insured', insured), line('not insured', notInsured)] : []),
    ...FAILURE_NAMES.filter((name) => outcomes.has(name)).map((name) => line(name, outcomes.get(name))),
  ];
};

/** A notice when suppliers of the service were late. */
export const sourcesLines = (sources: Sources | undefined): string[] =>
  sources === undefined || sources.current >= sources.expected
    ? []
    : [
        `Suppliers of the service that were current: ${sources.current} of ${sources.expected}. What is not insured or unknown here may be insured by another one.`,
      ];

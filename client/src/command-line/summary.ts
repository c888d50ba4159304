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
import type { ResultRow } from './earlier-result.ts';

export interface Counts {
  readonly rows: number;
  readonly outcomes: ReadonlyMap<string, number>;
  readonly reasons: ReadonlyMap<string, number>;
  /** Number of rows whose vehicle is not compliant only because a source has said nothing about it. */
  readonly onlyUnknown: number;
  readonly insured: number;
  readonly notInsured: number;
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

/** Rows that are printed. The file has all of them. */
const MAX_PRINTED = 20;
/** Characters of a cell: more than a registration, a verdict with all reasons or a policy number has. */
const MAX_CELL = 100;

export interface VehicleList {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly path: string | undefined;
}

const shortened = (cell: string): string => (cell.length > MAX_CELL ? `${cell.slice(0, MAX_CELL - 1)}…` : cell);

/** The list as a table. @param option the one that names a file for it, if there is one */
export const tableLines = ({ title, columns, rows, path }: VehicleList, option?: string): string[] => {
  const printed = [columns, ...rows.slice(0, MAX_PRINTED)].map((row) => row.map(shortened));
  const widths = columns.map((_, at) => Math.max(...printed.map((row) => row[at]?.length ?? 0)));
  const more = rows.length - MAX_PRINTED;
  const all = path === undefined ? `name a file for all of them with ${option}` : `all are in ${path}`;
  const where = option === undefined ? '' : `: ${all}`;
  return [
    `${title}: ${formatNumber(rows.length)}`,
    ...(rows.length === 0
      ? []
      : printed.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())),
    ...(more > 0 ? [`  and ${formatNumber(more)} more${where}`] : []),
  ];
};

/** A list for each answer that needs attention: not insured (compliant), unknown, invalid, no registration. */
export const listsByAnswer = (check: Check, rows: readonly ResultRow[], path: string | undefined): VehicleList[] =>
  [check.outcomes.false, ...FAILURE_NAMES].flatMap((title) => {
    const ofAnswer = title === NOT_READ ? [] : rows.filter(({ cells }) => outcomeOf(check, cells) === title);
    if (ofAnswer.length === 0) return [];
    const cells = ofAnswer.map(({ registration, cells, line }) => [registration, cells.at(-2) ?? '', `${line}`]);
    return [{ title, path, columns: ['registration', 'suggestion', 'row'], rows: cells }];
  });

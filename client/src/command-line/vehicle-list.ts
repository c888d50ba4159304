import { type Check, FAILURE_NAMES, NOT_READ, outcomeOf } from './checks.ts';
import type { ResultRow } from './earlier-result.ts';
import { formatNumber } from './summary.ts';

/** Rows that are printed. The file has all of them. */
const MAX_PRINTED = 20;
/** Characters of a cell: more than a registration, a verdict with all reasons or a policy number has. */
const MAX_CELL = 100;

export interface VehicleList {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The file that gets all of it, if there is one. */
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

/** Statistics and tables of the measurements. */
import { availableParallelism, cpus } from 'node:os';

/** The default export of a measurement's file: measures and returns paragraphs of Markdown. */
export type Measurement = () => Promise<readonly string[]>;

/** The value that a share of all values is at most: `percentile(values, 0.99)`. @throws RangeError without values */
export const percentile = (values: readonly number[], share: number): number => {
  const value = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)];
  if (value === undefined) throw new RangeError('there is no percentile of nothing');
  return value;
};

/** The value that half of all values are at most. @throws RangeError without values */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Digits grouped in thousands. */
export const grouped = (value: number): string => Math.round(value).toLocaleString('en-GB');

type Cell = string | number;

/** A table of Markdown; columns that contain only figures are aligned right. */
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string => {
  const line = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`;
  const isFigure = (cell: Cell = ''): boolean => /^[\d.,]+$/.test(String(cell));
  const rules = head.map((_, column) => (rows.every((row) => isFigure(row[column])) ? '---:' : '---'));
  return [line(head), `|${rules.join('|')}|`, ...rows.map(line)].join('\n');
};

const isMet = (met: boolean): string => (met ? 'yes' : '**no**');

/** Compares a measured value with its limit: a row of `targetTable`. */
export const atMost = (target: string, limit: number, measured: number) =>
  [`${target}: at most ${limit}`, measured.toFixed(2), isMet(measured <= limit)] as const;

/** The same with a least value. */
export const atLeast = (target: string, limit: number, measured: number) =>
  [`${target}: at least ${limit}`, measured.toFixed(2), isMet(measured >= limit)] as const;

/** Targets and whether they are met. */
export const targetTable = (...rows: readonly (readonly string[])[]): string =>
  table(['Target', 'Measured', 'Met'], rows);

/** The day and the machine. */
export const machine = (): string =>
  `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`;

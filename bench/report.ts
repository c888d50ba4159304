/** What the measurements share: statistics, tables and a temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The default export of a measurement's file: measures and returns paragraphs of Markdown. */
export type Measurement = () => Promise<readonly string[]>;

/** A temporary folder, deleted when this process ends. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return folder;
};

/** The value that a share of all values is at most: `percentile(values, 0.99)`. @throws RangeError without values */
export const percentile = (values: readonly number[], share: number): number => {
  const value = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)];
  if (value === undefined) throw new RangeError('there is no percentile of nothing');
  return value;
};

/** The value that half of all values are at most. @throws RangeError without values */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const grouped = (value: number): string => Math.round(value).toLocaleString('en-GB');

type Cell = string | number;

/** A table of Markdown; columns that contain only figures are aligned right. */
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string => {
  const line = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`;
  const isFigure = (cell: Cell = ''): boolean => /^[\d.,]+$/.test(String(cell));
  const rules = head.map((_, column) => (rows.every((row) => isFigure(row[column])) ? '---:' : '---'));
  return [line(head), `|${rules.join('|')}|`, ...rows.map(line)].join('\n');
};

/** The day and the machine. */
export const machine = (): string =>
  `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`;

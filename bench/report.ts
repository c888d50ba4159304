/** What a measurement reports, and how it is printed: Markdown on standard output, for docs/performance.md. */
import { availableParallelism, cpus } from 'node:os';

/** Numbers are printed as they are: round them where they are measured. */
export type Cell = string | number;

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A paragraph of Markdown or a table. */
export type Block = { readonly text: string } | { readonly table: Table };

/** A target and what was measured. */
export interface Finding {
  /** With its bound: `p50 at most 0.58 of …`. */
  readonly promise: string;
  readonly found: string;
  readonly holds: boolean;
}

/** The outcome of a measurement. */
export interface Outcome {
  readonly findings: readonly Finding[];
  readonly blocks: readonly Block[];
}

/** Reports how far a measurement has come. */
export type Progress = (done: number, total: number, doing: string) => void;

/** The default export of a measurement. */
export type Run = (progress: Progress) => Promise<Outcome>;

/** The value that a share of all values is at most: `percentile(values, 0.99)`. @throws RangeError without values */
export const percentile = (values: readonly number[], share: number): number => {
  const value = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)];
  if (value === undefined) throw new RangeError('there is no percentile of nothing');
  return value;
};

/** The value that half of all values are at most. @throws RangeError without values */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

const isFigure = (cell: Cell | undefined): boolean => /^[<>~−-]?[\d.,]+( ?[%×])?$/.test(String(cell ?? ''));

const line = (cells: readonly Cell[]): string =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;

/** Columns that contain only figures are aligned right. */
const tableMarkdown = ({ head, rows }: Table): string => {
  const rules = head.map((_, column) =>
    rows.length > 0 && rows.every((row) => isFigure(row[column])) ? '---:' : '---',
  );
  return [line(head), `|${rules.join('|')}|`, ...rows.map(line)].join('\n');
};

const findingsTable = (findings: readonly Finding[]): Table => ({
  head: ['Target', 'Measured', 'Met'],
  rows: findings.map(({ promise, found, holds }) => [promise, found, holds ? 'yes' : '**no**']),
});

/** A measurement as a section of Markdown, with its day and the machine. */
export const sectionMarkdown = (title: string, { findings, blocks }: Outcome): string =>
  [
    `## ${title}`,
    ...(findings.length > 0 ? [tableMarkdown(findingsTable(findings))] : []),
    ...blocks.map((block) => ('text' in block ? block.text : tableMarkdown(block.table))),
    `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`,
  ].join('\n\n');

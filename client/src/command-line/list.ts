import { type Replaceable, writeFileWhole } from './output-file.ts';
import { formatNumber } from './summary.ts';

/** Rows that are printed. The file has all of them. */
const MAX_PRINTED = 20;
/** Characters of a cell. Three such columns and a change fit into 80. */
const MAX_CELL = 18;

/** A list of vehicles, of which only the first rows are kept. */
export interface List {
  readonly title: string;
  readonly names: readonly string[];
  readonly count: number;
  readonly first: readonly string[][];
  readonly path: string | undefined;
}

interface ListOptions extends Pick<List, 'title' | 'names' | 'path'> {
  /** The first line of the file, and the lines of a row. */
  readonly header: string;
  readonly toText: (row: string[]) => string;
  readonly replaceable: Replaceable;
}

/** Reads the rows of a list, and writes them to its file if it has one. */
export const readList = async (
  rows: AsyncIterable<string[]>,
  { title, names, path, header, toText, replaceable }: ListOptions,
): Promise<List> => {
  const first: string[][] = [];
  let count = 0;
  const add = (row: string[]) => {
    if (count < MAX_PRINTED) first.push(row);
    count += 1;
  };
  async function* texts() {
    yield header;
    for await (const row of rows) {
      add(row);
      yield toText(row);
    }
  }
  if (path !== undefined) await writeFileWhole(path, replaceable, texts());
  else for await (const row of rows) add(row);
  return { title, names, count, first, path };
};

const shortened = (cell: string): string => (cell.length > MAX_CELL ? `${cell.slice(0, MAX_CELL - 1)}…` : cell);

/** The list as a table. */
export const tableLines = ({ title, names, count, first, path }: List, option: string): string[] => {
  const rows = [names, ...first].map((row) => row.map(shortened));
  const widths = names.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const more = count - first.length;
  const all = path === undefined ? `name a file for all of them with ${option}` : `all are in ${path}`;
  return [
    `${title}: ${formatNumber(count)}`,
    ...(count === 0
      ? []
      : rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())),
    ...(more > 0 ? [`  and ${formatNumber(more)} more: ${all}`] : []),
  ];
};

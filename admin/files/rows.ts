import { readLines } from '../../csv/lines.ts';
import { mayHideRow, readCsv, readHeader } from '../../csv/read-csv.ts';
import { UnreadableFile } from '../../csv/text.ts';
import { FileRefused } from '../command/command-result.ts';
import {
  type Columns,
  type CsvLayout,
  columnFinder,
  findLayout,
  type MappedColumn,
  requiredColumnsClause,
} from './columns.ts';
import type { SourceFile } from './source-file.ts';

/** How rows are written; known before the first row. */
export type Layout = CsvLayout | 'ndjson' | 'txt';

/** A row as it is in the file: the cells of a CSV, or the text of a line. */
export interface GivenRow {
  readonly line: number;
  readonly given: readonly string[] | string;
}

export interface Row extends GivenRow {
  /** The fields by name: of a CSV all columns that are used, blank where the row has no cell. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why the fields may not be those of the row. */
  readonly unreadable?: string;
  /** Why the row is not valid, whatever its fields are. */
  readonly issue?: string;
}

/** A row that is not loaded, with every reason. */
export interface RejectedRow {
  readonly row: Row;
  readonly reasons: readonly string[];
}

/** What the rows of a file are read by. */
export interface RowRules {
  readonly columns: Columns;
  /** Characters of a row. */
  readonly maxRowLength: number;
  /** Whether a used text may have several lines. */
  readonly hasLines?: boolean;
}

const csvRow = (line: number, cells: readonly string[], { columns, header }: CsvLayout): Row => {
  const fields: Record<string, string> = {};
  for (const [index, name] of columns.entries()) if (name !== null) fields[name] = cells[index] ?? '';
  const row = { line, given: cells, fields };
  if (!cells.slice(header.length).some((cell) => cell.trim() !== '')) return row;
  return { ...row, unreadable: `has text in ${cells.length} cells where the header names ${header.length}` };
};

const STRINGS = /"(?:[^"\\]|\\.)*"/g;

const countMembers = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce((sum: number, member) => sum + countMembers(member), own);
};

const jsonRow = (line: number, text: string): Row => {
  const row = { line, given: text, fields: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ...row, unreadable: 'is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ...row, unreadable: 'is not a JSON object' };
  }
  const fields = value as Row['fields'];
  // `JSON.parse` keeps the last one only.
  const isRepeated = text.replace(STRINGS, '').split(':').length - 1 > countMembers(value);
  return { ...row, fields, ...(isRepeated && { issue: 'the line has a field twice' }) };
};

/** Reads the fields of a row. */
export const readRow = ({ line, given }: GivenRow, layout: Layout): Row => {
  if (typeof given === 'string') {
    return layout === 'ndjson' ? jsonRow(line, given) : { line, given, fields: { registration: given } };
  }
  return typeof layout === 'object' ? csvRow(line, given, layout) : { line, given, fields: {} };
};

/** The rows of a page of a file, and the bytes that were read so far. */
interface RowPage {
  readonly rows: readonly GivenRow[];
  readonly layout: Layout;
  readonly read: number;
}

async function* readCsvRows(
  source: SourceFile,
  { columns, maxRowLength, hasLines = false }: RowRules,
  map: readonly MappedColumn[],
): AsyncGenerator<RowPage> {
  const find = columnFinder(columns, map);
  const options = { maxLength: maxRowLength };
  const header = await readHeader(source, (name) => find(name) !== undefined, options);
  if (header === undefined) throw new FileRefused(`the file is empty: ${requiredColumnsClause(columns)}`);
  const layout = findLayout(header, columns, map, find);
  const isUsed = (index: number) => typeof layout.columns[index - layout.cut] === 'string';
  for await (const { rows, read } of readCsv(source, header, options)) {
    const hiding = hasLines
      ? []
      : rows.filter(({ cells }) => cells.some((cell, index) => mayHideRow(cell, isUsed(index), layout.delimiter)));
    if (hiding.length > 0) {
      throw new UnreadableFile(
        `${listLines(hiding)} a line end within a cell, so nobody knows where the row ends: remove the line end, or the quote that was not closed`,
      );
    }
    yield { rows: rows.map(({ line, cells }) => ({ line, given: cells.slice(layout.cut) })), layout, read };
  }
}

/** The most lines that a message names. */
export const MAX_LINES = 20;

/** `line 3 has`, or `lines 3, 4 and 17 more have`. */
export const listLines = (rows: readonly { readonly line: number }[]): string => {
  const lines = rows.slice(0, MAX_LINES).map(({ line }) => `${line}`);
  const more = rows.length > MAX_LINES ? [`${rows.length - MAX_LINES} more`] : [];
  return rows.length === 1
    ? `line ${lines[0]} has`
    : `lines ${new Intl.ListFormat('en-GB').format([...lines, ...more])} have`;
};

/**
 * The rows of a file without blank ones, a page at a time.
 * @throws CommandFailure when columns are missing, UnreadableFile when nobody knows where a row ends
 */
export async function* readRows(
  source: SourceFile,
  rules: RowRules,
  map: readonly MappedColumn[],
): AsyncGenerator<RowPage> {
  const { format } = source;
  if (format === 'csv') {
    yield* readCsvRows(source, rules, map);
    return;
  }
  for await (const { lines, read } of readLines(source, rules.maxRowLength)) {
    const long = lines.find(({ text }) => text.length > rules.maxRowLength);
    if (long)
      throw new UnreadableFile(
        `line ${long.line} has more than ${rules.maxRowLength.toLocaleString('en-GB')} characters`,
      );
    const rows = lines.map(({ line, text }) => ({ line, given: text.trim() })).filter(({ given }) => given !== '');
    const joined = format === 'txt' ? rows.filter(({ given }) => /[\t,;]|\s\s/.test(given)) : [];
    if (joined.length > 0) {
      throw new UnreadableFile(
        `${listLines(joined)} a tab, a comma, a semicolon or two blanks: a line of a .txt is one registration; save a table as .csv`,
      );
    }
    yield { rows, layout: format, read };
  }
}

import { CommandFailure } from '../command/command-result.ts';
import { type Columns, type CsvLayout, delimiterIn, type MappedColumn, mustName, readHeader } from './csv-header.ts';
import { type CsvRecord, csvRecords, parseRecords, withoutCells } from './csv-records.ts';
import { MAX_ROW_LENGTH, readLines } from './lines.ts';
import type { Row, RowText } from './row.ts';
import type { SourceFile } from './source-file.ts';

/** How the rows of a file are written. It is known before its first row is. */
export type Layout = CsvLayout | 'ndjson' | 'txt';

/** The decoder replaces bytes that are not in the file's encoding by U+FFFD; a program that saved the file may have done so too. */
const textIssues = (text: string): string[] => {
  if (text.length > MAX_ROW_LENGTH) {
    return [`the line is longer than ${MAX_ROW_LENGTH.toLocaleString('en-GB')} characters`];
  }
  return text.includes('\uFFFD')
    ? ['the row has characters that cannot be read (U+FFFD); correct them and save the file as UTF-8']
    : [];
};

const isBlank = (cell: string): boolean => cell.trim() === '';

/** Excel writes empty cells after the last column. */
const columnCountIssue = (cells: readonly string[], expected: number): string | undefined => {
  if (cells.length === expected) return undefined;
  if (cells.length > expected && cells.slice(expected).every(isBlank)) return undefined;
  const few = cells.length < expected;
  return `the row has too ${few ? 'few' : 'many'} columns: ${cells.length} where the header names ${expected}`;
};

const csvRow = (row: RowText, { cells, issue }: CsvRecord, columns: CsvLayout['columns']): Row => {
  const fields: Record<string, string> = {};
  for (const [index, name] of columns.entries()) {
    const cell = cells[index];
    if (name !== null && cell !== undefined) fields[name] = cell;
  }
  const wrong = issue ?? columnCountIssue(cells, columns.length);
  return { ...row, isJson: false, fields, issues: wrong === undefined ? textIssues(row.text) : [wrong] };
};

const ndjsonRow = (row: RowText): Row => {
  const issues = textIssues(row.text);
  const unreadable = (issue: string, isJson: boolean) => ({ ...row, isJson, fields: {}, issues: [issue] });
  if (row.text.length > MAX_ROW_LENGTH) return { ...row, isJson: false, fields: {}, issues };
  try {
    const value: unknown = JSON.parse(row.text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return unreadable('the line is not a JSON object', true);
    }
    return { ...row, isJson: true, fields: value as Row['fields'], issues };
  } catch {
    return unreadable('the line is not JSON', false);
  }
};

const textRow = (row: RowText): Row => ({
  ...row,
  isJson: false,
  fields: { registration: row.text },
  issues: textIssues(row.text),
});

/** Spreadsheet programs write such rows for cells that were cleared. */
const isEmpty = ({ cells, issue }: CsvRecord): boolean => issue === undefined && cells.every(isBlank);

/** The rows of these texts in their order, without empty ones. Depends on nothing but the texts and the layout. */
export const rowsOf = (texts: readonly RowText[], layout: Layout): Row[] => {
  if (layout === 'ndjson') return texts.map(ndjsonRow);
  if (layout === 'txt') return texts.map(textRow);
  const records = parseRecords(
    texts.map(({ text }) => text),
    layout.delimiter,
  );
  return texts.flatMap((row, index) => {
    const record = records[index];
    return record === undefined || isEmpty(record) ? [] : csvRow(row, record, layout.columns);
  });
};

/** Rows of a file, the layout that all of its rows have, and the bytes read so far. */
interface RowChunk {
  readonly rows: readonly Row[];
  readonly layout: Layout;
  readonly read: number;
}

const withoutRejection = ({ line, text }: RowText, { delimiter, cut }: CsvLayout): RowText => ({
  line,
  text: withoutCells(text, delimiter, cut),
});

/** @throws CommandFailure when the header is missing or invalid, or a quote is never closed */
async function* readCsv(source: SourceFile, expected: Columns, map: readonly MappedColumn[]): AsyncGenerator<RowChunk> {
  const records = csvRecords();
  let delimiter: string | undefined;
  let layout: CsvLayout | undefined;
  for await (const { lines, read } of readLines(source)) {
    const texts: RowText[] = [];
    for (const line of lines) {
      const record = records.add(line, layout?.delimiter);
      if (record === undefined) continue;
      if (layout !== undefined) texts.push(layout.cut > 0 ? withoutRejection(record, layout) : record);
      else if (delimiter === undefined && delimiterIn(record.text) !== undefined) delimiter = delimiterIn(record.text);
      else layout = readHeader(record.text, expected, map, delimiter);
    }
    if (layout !== undefined) yield { rows: rowsOf(texts, layout), layout, read };
  }
  records.requireClosed();
  if (layout === undefined) throw new CommandFailure(`the file is empty: ${mustName(expected)}`);
}

/**
 * The rows of a file in its order, a chunk at a time, without blank ones.
 * @throws CommandFailure when the file is not CSV with these columns
 */
export async function* readRows(
  source: SourceFile,
  expected: Columns,
  map: readonly MappedColumn[],
): AsyncGenerator<RowChunk> {
  const { format } = source;
  if (format === 'csv') {
    yield* readCsv(source, expected, map);
    return;
  }
  for await (const { lines, read } of readLines(source)) {
    const texts = lines.map(({ line, text }) => ({ line, text: text.trim() })).filter(({ text }) => text !== '');
    yield { rows: rowsOf(texts, format), layout: format, read };
  }
}

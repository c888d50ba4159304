import { MAX_ROW_LENGTH, type RowText, readLines } from '../../csv/lines.ts';
import { readCsv } from '../../csv/read-csv.ts';
import { type CsvRecord, hasTooManyCells, isEmpty, parseRecords, withoutCells } from '../../csv/records.ts';
import { FileRefused } from '../command/command-result.ts';
import {
  type Columns,
  type CsvLayout,
  columnFinder,
  findLayout,
  type MappedColumn,
  requiredColumnsClause,
} from './csv-header.ts';
import type { Row } from './row.ts';
import type { SourceFile } from './source-file.ts';

/** How rows are written; known before the first row. */
export type Layout = CsvLayout | 'ndjson' | 'txt';

/** The decoder writes U+FFFD for bytes outside the encoding; a program that saved the file may have done so too. */
const textIssues = (text: string): string[] => {
  if (text.length > MAX_ROW_LENGTH) {
    return [`the line is longer than ${MAX_ROW_LENGTH.toLocaleString('en-GB')} characters`];
  }
  return text.includes('\uFFFD')
    ? ['the row has characters that cannot be read (U+FFFD); correct them and save the file as UTF-8']
    : [];
};

const columnCountIssue = (record: CsvRecord, columns: number): string | undefined => {
  const count = record.cells.length;
  if (count >= columns && !hasTooManyCells(record, columns)) return undefined;
  return `the row has too ${count < columns ? 'few' : 'many'} columns: ${count} where the header names ${columns}`;
};

const csvRow = (row: RowText, record: CsvRecord, { columns }: CsvLayout): Row => {
  const fields: Record<string, string> = {};
  for (const [index, name] of columns.entries()) {
    const cell = record.cells[index];
    if (name !== null && cell !== undefined) fields[name] = cell;
  }
  const malformed = record.issue ?? columnCountIssue(record, columns.length);
  if (malformed !== undefined) return { ...row, isJson: false, fields, issues: [malformed], cells: 'malformed' };
  const cells = record.cells.length > columns.length ? 'trailing-blanks' : 'complete';
  return { ...row, isJson: false, fields, issues: textIssues(row.text), cells };
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

/** The rows of these texts, without empty ones. Depends on the texts and the layout only. */
export const rowsOf = (texts: readonly RowText[], layout: Layout): Row[] => {
  if (layout === 'ndjson') return texts.map(ndjsonRow);
  if (layout === 'txt') return texts.map(textRow);
  const records = parseRecords(
    texts.map(({ text }) => text),
    layout.delimiter,
  );
  return texts.flatMap((row, index) => {
    const record = records[index];
    return record === undefined || isEmpty(record) ? [] : csvRow(row, record, layout);
  });
};

/** @throws CommandFailure when the header is missing or invalid, UnreadableFile when nobody knows where a row ends */
async function* readCsvRows(source: SourceFile, expected: Columns, map: readonly MappedColumn[]) {
  const find = columnFinder(expected, map);
  let layout: CsvLayout | undefined;
  for await (const { header, rows, read } of readCsv(source, (name) => find(name) !== undefined)) {
    layout ??= findLayout(header, expected, map, find);
    const { delimiter, cut } = layout;
    const texts = cut === 0 ? rows : rows.map(({ line, text }) => ({ line, text: withoutCells(text, delimiter, cut) }));
    yield { rows: rowsOf(texts, layout), layout, read };
  }
  if (layout === undefined) throw new FileRefused(`the file is empty: ${requiredColumnsClause(expected)}`);
}

/** The rows of a file without blank ones, and bytes read so far. @throws CommandFailure when columns are missing */
export async function* readRows(source: SourceFile, expected: Columns, map: readonly MappedColumn[]) {
  const { format } = source;
  if (format === 'csv') {
    yield* readCsvRows(source, expected, map);
    return;
  }
  for await (const { lines, read } of readLines(source)) {
    const texts = lines.map(({ line, text }) => ({ line, text: text.trim() })).filter(({ text }) => text !== '');
    yield { rows: rowsOf(texts, format), layout: format, read };
  }
}

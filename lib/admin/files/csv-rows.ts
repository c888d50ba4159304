import { CommandFailure } from '../command/outcome.ts';
import { type CsvText, csvRecords, splitLine } from './csv-records.ts';
import type { Line } from './lines.ts';
import { encodingIssues, type Row } from './row.ts';

/** The required and optional columns of a CSV file, in any order. */
export interface Columns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Whether any other columns may be there; their cells are not used. */
  readonly others?: boolean;
}

/** Semicolons come from Excel where the decimal sign is a comma, tabs from copying cells. */
const DELIMITERS = [',', ';', '\t'] as const;
/** A first line with which Excel is given the delimiter; saved again, it has a delimiter for each column. */
const DELIMITER_LINE = /^"?sep=([^"\r])"?[,;\t]*\r?$/i;

/** `Valid From`, `VALID_FROM` and `validFrom` are one name. */
const nameKey = (name: string): string => name.replace(/[\s_-]/g, '').toLowerCase();

const mustName = ({ required, optional }: Columns): string =>
  `its first line must name ${required.join(', ')}${optional.length > 0 ? ` and may name ${optional.join(', ')}` : ''}`;

const listed = (label: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${label}: ${names.join(', ')}`];

/**
 * The columns of a file in its own order, from its header row.
 * @throws CommandFailure naming every column that is missing, unknown or repeated
 */
const readHeader = (cells: readonly string[], expected: Columns): string[] => {
  const known = new Map([...expected.required, ...expected.optional].map((name) => [nameKey(name), name]));
  const columns = cells.map((cell) => known.get(nameKey(cell)) ?? JSON.stringify(cell.trim()));
  const missing = expected.required.filter((name) => !columns.includes(name));
  const unknown = columns.filter((name) => name.startsWith('"'));
  const repeated = new Set(columns.filter((name, index) => columns.indexOf(name) < index && !unknown.includes(name)));
  const issues = [
    ...listed('missing', missing),
    ...(expected.others ? [] : listed('unknown', unknown)),
    ...listed('there twice', [...repeated]),
  ];
  if (issues.length === 0) return columns;
  throw new CommandFailure(
    `the columns of the file are not as they should be (${issues.join('; ')}); ${mustName(expected)}`,
  );
};

/** The delimiter with which a header has the most known columns. */
const delimiterOf = (header: string, { required, optional }: Columns): string => {
  const known = new Set([...required, ...optional].map(nameKey));
  const countKnown = (delimiter: string) =>
    splitLine(header, delimiter).filter((cell) => known.has(nameKey(cell))).length;
  return DELIMITERS.reduce((best, one) => (countKnown(one) > countKnown(best) ? one : best));
};

const columnCountIssues = (count: number, expected: number): string[] => {
  if (count === expected) return [];
  const few = count < expected;
  return [`the row has too ${few ? 'few' : 'many'} columns: ${count} where the header names ${expected}`];
};

const asRow = ({ line, text, fields: cells, issue }: CsvText, columns: readonly string[]): Row => {
  const fields: Record<string, string> = {};
  columns.forEach((name, index) => {
    const cell = cells[index];
    if (cell !== undefined) fields[name] = cell;
  });
  const issues =
    issue === undefined ? [...columnCountIssues(cells.length, columns.length), ...encodingIssues(text)] : [issue];
  return { line, text, isJson: false, fields, issues };
};

/** Spreadsheet programs write such rows for cells that were cleared. */
const isEmptyRow = ({ fields, issue }: CsvText): boolean =>
  issue === undefined && fields.every((cell) => cell.trim() === '');

/**
 * The rows of a CSV file below its header row, without empty ones, from the lines of the file.
 * @throws CommandFailure when the file is empty or the header row is invalid
 */
export async function* csvRows(chunks: AsyncIterable<readonly Line[]>, expected: Columns): AsyncGenerator<Row[]> {
  let records: ReturnType<typeof csvRecords> | undefined;
  let columns: string[] | undefined;

  const toRows = (texts: CsvText[]): Row[] => {
    const header = columns === undefined ? texts.shift() : undefined;
    if (header !== undefined) columns = readHeader(header.fields, expected);
    const names = columns ?? [];
    return texts.filter((text) => !isEmptyRow(text)).map((text) => asRow(text, names));
  };

  for await (let lines of chunks) {
    const first = lines.find(({ text }) => text.trim() !== '');
    if (records === undefined && first !== undefined) {
      const [, delimiter] = DELIMITER_LINE.exec(first.text) ?? [];
      records = csvRecords(delimiter ?? delimiterOf(first.text, expected));
      if (delimiter !== undefined) lines = lines.slice(lines.indexOf(first) + 1);
    }
    if (records !== undefined) yield toRows(records.add(lines));
  }
  if (records !== undefined) yield toRows(records.end());
  if (columns === undefined) throw new CommandFailure(`the file is empty: ${mustName(expected)}`);
}

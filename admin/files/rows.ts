import { readHeader, requireTitlesAbove, SEARCHED_ROWS } from '../../csv/header.ts';
import { MAX_ROW_LENGTH, readLines } from '../../csv/lines.ts';
import { mayContainRows, readCsv } from '../../csv/read-csv.ts';
import { UnreadableFile } from '../../csv/text.ts';
import { FileRefused } from '../command/command-result.ts';
import {
  type Columns,
  type CsvLayout,
  columnFinder,
  type MappedColumn,
  requiredColumnsClause,
  unescapeFormula,
} from './columns.ts';
import type { SourceFile } from './source-file.ts';

/** The format of the rows, known before the first row is read. */
export type Layout = CsvLayout | 'ndjson' | 'txt';

/** A row as it is in the file: the cells of a CSV, or the text of a line. */
export interface GivenRow {
  readonly line: number;
  readonly given: readonly string[] | string;
  /** The last character of the file, when a CSV ends with this row and without a line end. */
  readonly lastCharacter?: string;
  /** The fields of a line that was read already. */
  readonly fields?: Row['fields'];
  /** Why the text of the row cannot be split into its fields reliably. */
  readonly unreadable?: string;
}

export interface Row extends GivenRow {
  /** The fields by name: of a CSV all columns that are used, blank where the row has no cell. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why the row is rejected, whatever its fields are. */
  readonly issue?: string;
}

export interface RejectedRow {
  readonly row: Row;
  readonly reasons: readonly string[];
}

export interface RowRules {
  readonly columns: Columns;
  /** Whether a cell that is used may contain several lines, and a row 1,000,000 characters. */
  readonly hasLines?: boolean;
  /** Reads a line once, and reduces it to what is used of it, in the same form. */
  readonly readUsed?: (line: string) => Pick<GivenRow, 'fields'> & { readonly given: string };
}

/** Maximum number of characters in a row of vehicles or compliance records. */
const MAX_RECORD_LENGTH = 100_000;

/** How the reason of an unreadable row begins in a file of rejected rows. */
export const OF_ROW = 'the row ';
const WAS_UNREADABLE =
  'was unreadable in the original file: correct it there, and load that file, because this row alone would replace the other policies of its vehicle';

/** Separates the cells of a staged row: a control character that no text may contain. */
export const CELL_END = '\u001f';

/** Text beside a registration in a column without a name: the registration may be spread over two columns. */
const UNNAMED = 'has text in the column beside its registration, which has no name';

const csvFields = (
  cells: readonly string[],
  { columns, header, registration }: CsvLayout,
): Pick<Row, 'fields' | 'unreadable'> => {
  const fields: Record<string, string> = {};
  for (const [index, name] of columns.entries()) if (name !== null) fields[name] = cells[index] ?? '';
  const isText = (cell = '') => cell.trim() !== '';
  // Programs write numbers of rows into a first column without a name.
  const beside = [registration - 1, registration + 1].filter((index) => registration >= 0 && index > 0);
  const isSpread = beside.some((index) => header[index]?.trim() === '' && isText(cells[index]));
  if (isSpread) return { fields, unreadable: UNNAMED };
  if (!cells.slice(header.length).some(isText)) return { fields };
  return { fields, unreadable: `has text in ${cells.length} cells where the header names ${header.length}` };
};

/** Levels of objects and lists: what reads and writes them calls itself for each. */
const MAX_LEVELS = 1_000;

/** An unclosed one too: otherwise the time is quadratic. */
const STRINGS = /"(?:[^"\\]|\\.)*"?/g;

/** The number of colons outside strings: as many as fields. */
const countFields = (json: string): number => json.replace(STRINGS, '').split(':').length - 1;

const isNestedTooDeeply = (json: string): boolean => {
  let level = 0;
  for (const [bracket] of json.replace(STRINGS, '').matchAll(/[[{\]}]/g)) {
    level += bracket === '[' || bracket === '{' ? 1 : -1;
    if (level > MAX_LEVELS) return true;
  }
  return false;
};

/** Whether a line with a field twice has its registration twice: a string before a colon is the name of a field. */
const hasRegistrationTwice = (text: string): boolean =>
  [...text.matchAll(/("(?:[^"\\]|\\.)*"?)(\s*:)?/g)].filter(
    ([, name = '', colon]) => colon !== undefined && JSON.parse(name) === 'registration',
  ).length > 1;

const jsonFields = (text: string): Pick<Row, 'fields' | 'unreadable' | 'issue'> => {
  if (isNestedTooDeeply(text)) return { fields: {}, unreadable: 'is nested more than 1,000 levels deep' };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { fields: {}, unreadable: 'is not a JSON object' };
    }
    const fields = value as Row['fields'];
    // `JSON.parse` keeps the last one only.
    const hasFieldTwice = countFields(text) > countFields(JSON.stringify(value));
    if (hasFieldTwice && hasRegistrationTwice(text)) return { fields, unreadable: 'has its registration twice' };
    return { fields, ...(hasFieldTwice && { issue: 'the line has a field twice' }) };
  } catch {
    return { fields: {}, unreadable: 'is not JSON' };
  }
};

export const readRow = (row: GivenRow, layout: Layout): Row => {
  const { given, fields } = row;
  if (fields !== undefined) return { ...row, fields };
  if (typeof given !== 'string') return { ...row, ...csvFields(given, layout as CsvLayout) };
  return { ...row, ...(layout === 'ndjson' ? jsonFields(given) : { fields: { registration: given } }) };
};

export const MAX_LINES = 20;

/** A clause such as `line 3 has` or `lines 3, 4 and 17 more have`. */
export const linesHave = (rows: readonly { readonly line: number }[]): string => {
  const lines = rows.slice(0, MAX_LINES).map(({ line }) => `${line}`);
  if (rows.length > MAX_LINES) lines.push(`${rows.length - MAX_LINES} more`);
  const list = new Intl.ListFormat('en-GB').format(lines);
  return rows.length === 1 ? `line ${list} has` : `lines ${list} have`;
};

export const refuseLines = (rows: readonly { readonly line: number }[], problem: string): void => {
  if (rows.length > 0) throw new UnreadableFile(`${linesHave(rows)} ${problem}`);
};

interface RowPage {
  readonly rows: readonly GivenRow[];
  readonly layout: Layout;
  readonly read: number;
}

async function* readCsvRows(
  source: SourceFile,
  { columns, hasLines }: RowRules,
  maxLength: number,
  map: readonly MappedColumn[],
): AsyncGenerator<RowPage> {
  const { isKnown, findLayout } = columnFinder(columns, map);
  // A title of content cannot be told from a row.
  const header = await readHeader(source, isKnown, { searched: hasLines ? 1 : SEARCHED_ROWS });
  if (header === undefined) throw new FileRefused(`the file is empty: ${requiredColumnsClause(columns)}`);
  const layout = findLayout(header);
  requireTitlesAbove(header, layout.registration + layout.cut);
  const isUsed = (index: number) => typeof layout.columns[index - layout.cut] === 'string';
  for await (const { rows, read } of readCsv(source, header, { maxLength })) {
    refuseLines(
      rows.filter(
        ({ cells }) => !hasLines && cells.some((cell, index) => mayContainRows(cell, isUsed(index), layout.delimiter)),
      ),
      'a line end within a cell, so nobody knows where the row ends: remove the line end, or the quote that was not closed',
    );
    refuseLines(
      rows.filter(({ cells }) => cells.some((cell) => cell.includes(CELL_END))),
      'the control character U+001F, so the file is not text: remove it',
    );
    const givenRows = rows.map(({ line, cells, lastCharacter }) => {
      const given = cells.slice(layout.cut);
      const wasUnreadable = !hasLines && layout.cut > 0 && cells[1]?.startsWith(OF_ROW);
      return {
        line,
        given: layout.cut > 0 ? given.map(unescapeFormula) : given,
        ...(lastCharacter && { lastCharacter }),
        ...(wasUnreadable && { unreadable: WAS_UNREADABLE }),
      };
    });
    yield { rows: givenRows, layout, read };
  }
}

/**
 * The rows of a file without blank ones, a page at a time.
 * @throws CommandFailure when columns are missing, UnreadableFile when it is unclear where a row ends
 */
export async function* readRows(
  source: SourceFile,
  rules: RowRules,
  map: readonly MappedColumn[],
): AsyncGenerator<RowPage> {
  const { format, lines: given } = source;
  const maxLength = rules.hasLines ? MAX_ROW_LENGTH : MAX_RECORD_LENGTH;
  if (given !== undefined) {
    yield { rows: given.map((text, index) => ({ line: index + 1, given: text })), layout: 'ndjson', read: 0 };
    return;
  }
  if (format === 'csv') {
    yield* readCsvRows(source, rules, maxLength, map);
    return;
  }
  for await (const { lines, read } of readLines(source, maxLength)) {
    const given = lines.map(({ line, text }) => ({ line, given: text.trim() })).filter((row) => row.given !== '');
    const { readUsed } = rules;
    const rows = readUsed ? given.map(({ line, given: text }) => ({ line, ...readUsed(text) })) : given;
    refuseLines(
      rows.filter(({ given }) => format === 'txt' && /[\t,;]|\s\s/.test(given)),
      'a tab, a comma, a semicolon or two blanks: a line of a .txt is one registration; save a table as .csv',
    );
    yield { rows, layout: format, read };
  }
}

import { readHeader, requireTitlesAbove, SEARCHED_ROWS } from '../../csv/header.ts';
import { MAX_ROW_LENGTH, readLines } from '../../csv/lines.ts';
import { type CsvHeader, mayContainRows, readCsv } from '../../csv/read-csv.ts';
import { hasTextBeside } from '../../csv/registration-cell.ts';
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

/** A row as it is in the file: the cells of a CSV, or the text of a line of NDJSON. */
export interface GivenRow {
  readonly line: number;
  readonly given: readonly string[] | string;
  /** The last character of the file, when a CSV ends with this row and without a line end. */
  readonly lastCharacter?: string;
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
  /** Leaves out of a line of NDJSON what is not used of it. */
  readonly reduceLine?: (text: string) => string;
}

/** Maximum number of characters in a row of vehicles or compliance records. */
const MAX_RECORD_LENGTH = 100_000;

/** How the reason of an unreadable row begins in a file of rejected rows. */
export const OF_ROW = 'the row ';
const WAS_UNREADABLE =
  'was unreadable in the original file: correct it there, and load that file, because this row alone would replace the other policies of its vehicle';

/** Separates the cells of a staged row: a control character that no text may contain. */
export const CELL_END = '\u001f';

const UNNAMED = 'has text in the column beside its registration, which has no name';

const csvFields = (
  cells: readonly string[],
  { columns, header, registration }: CsvLayout,
): Pick<Row, 'fields' | 'unreadable'> => {
  const fields: Record<string, string> = {};
  for (const [index, name] of columns.entries()) if (name !== null) fields[name] = cells[index] ?? '';
  if (hasTextBeside(cells, registration, header)) return { fields, unreadable: UNNAMED };
  if (!cells.slice(header.length).some((cell) => cell.trim() !== '')) return { fields };
  return { fields, unreadable: `has text in ${cells.length} cells where the header names ${header.length}` };
};

/** Levels of objects and lists: what reads and writes them calls itself for each. */
const MAX_LEVELS = 1_000;

/** The names of fields, other strings and brackets of JSON. An unclosed string too: otherwise the time is quadratic. */
const TOKENS = /"(?:[^"\\]|\\.)*"?(\s*:)?|[[{\]}]/g;

/** How many levels valid JSON has, and the fields that an object has twice, of which `JSON.parse` keeps the last. */
const readStructure = (json: string) => {
  const objects: Set<unknown>[] = [];
  const repeated = new Set<unknown>();
  let levels = 0;
  for (const [token, colon] of json.matchAll(TOKENS)) {
    if (colon !== undefined) {
      const name: unknown = JSON.parse(token.slice(0, -colon.length));
      const names = objects.at(-1);
      if (names?.has(name)) repeated.add(name);
      names?.add(name);
    } else if (token === '{' || token === '[') levels = Math.max(levels, objects.push(new Set()));
    else if (token === '}' || token === ']') objects.pop();
  }
  return { levels, repeated };
};

const jsonFields = (text: string): Pick<Row, 'fields' | 'unreadable' | 'issue'> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fields: {}, unreadable: 'is not JSON' };
  }
  const { levels, repeated } = readStructure(text);
  if (levels > MAX_LEVELS) return { fields: {}, unreadable: 'is nested more than 1,000 levels deep' };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { fields: {}, unreadable: 'is not a JSON object' };
  }
  const fields = value as Row['fields'];
  if (repeated.has('registration')) return { fields, unreadable: 'has its registration twice' };
  return { fields, ...(repeated.size > 0 && { issue: 'the line has a field twice' }) };
};

/** @param layout of a table; absent for NDJSON */
export const readRow = (row: GivenRow, layout?: CsvLayout): Row => {
  const { given } = row;
  const fields = layout && typeof given !== 'string' ? csvFields(given, layout) : jsonFields(String(given));
  return { ...row, ...fields };
};

export const MAX_LINES = 20;

/**
 * A clause such as `line 3 has` or `lines 3, 4 and 17 more have`.
 * @param count how many rows there are, of which `rows` are at least the first 20
 */
export const linesHave = (rows: readonly { readonly line: number }[], count = rows.length): string => {
  const lines = rows.slice(0, MAX_LINES).map(({ line }) => `${line}`);
  if (count > MAX_LINES) lines.push(`${count - MAX_LINES} more`);
  const list = new Intl.ListFormat('en-GB').format(lines);
  return count === 1 ? `line ${list} has` : `lines ${list} have`;
};

export const refuseLines = (rows: readonly { readonly line: number }[], problem: string): void => {
  if (rows.length > 0) throw new UnreadableFile(`${linesHave(rows)} ${problem}`);
};

async function* readCells(
  source: SourceFile,
  header: CsvHeader,
  { columns, cut, delimiter }: CsvLayout,
  hasLines: boolean,
) {
  const isUsed = (index: number) => typeof columns[index - cut] === 'string';
  const maxLength = hasLines ? MAX_ROW_LENGTH : MAX_RECORD_LENGTH;
  for await (const { rows, read } of readCsv(source, header, { maxLength })) {
    refuseLines(
      rows.filter(
        ({ cells }) => !hasLines && cells.some((cell, index) => mayContainRows(cell, isUsed(index), delimiter)),
      ),
      'a line end within a cell, so nobody knows where the row ends: remove the line end, or the quote that was not closed',
    );
    refuseLines(
      rows.filter(({ cells }) => cells.some((cell) => cell.includes(CELL_END))),
      'the control character U+001F, so the file is not text: remove it',
    );
    const givenRows = rows.map(({ line, cells, lastCharacter }) => {
      const given = cells.slice(cut);
      const wasUnreadable = !hasLines && cut > 0 && cells[1]?.startsWith(OF_ROW);
      return {
        line,
        given: cut > 0 ? given.map(unescapeFormula) : given,
        ...(lastCharacter && { lastCharacter }),
        ...(wasUnreadable && { unreadable: WAS_UNREADABLE }),
      };
    });
    yield { rows: givenRows, read };
  }
}

async function* readTexts(source: SourceFile, { hasLines, reduceLine = (text) => text }: RowRules) {
  const chunks = source.readLines?.() ?? readLines(source, hasLines ? MAX_ROW_LENGTH : MAX_RECORD_LENGTH);
  for await (const { lines, read } of chunks) {
    const rows = lines.map(({ line, text }) => ({ line, given: text.trim() })).filter(({ given }) => given !== '');
    if (source.format === 'ndjson') {
      yield { rows: rows.map(({ line, given }) => ({ line, given: reduceLine(given) })), read };
      continue;
    }
    refuseLines(
      rows.filter(({ given }) => /[\t,;]|\s\s/.test(given)),
      'a tab, a comma, a semicolon or two blanks: a line of a .txt is one registration; save a table as .csv',
    );
    yield { rows: rows.map(({ line, given }) => ({ line, given: [given] })), read };
  }
}

/**
 * Reads the header of a file; its rows that are not blank are read later, a page at a time. NDJSON has no layout.
 * @throws CommandFailure when columns are missing, UnreadableFile when it is unclear where a row ends
 */
export const openRows = async (source: SourceFile, rules: RowRules, map: readonly MappedColumn[]) => {
  const { columns, hasLines = false } = rules;
  if (source.format === 'ndjson') return { pages: readTexts(source, rules) };
  const { isKnown, findLayout } = columnFinder(columns, map);
  if (source.format === 'txt') {
    const layout = findLayout({ delimiter: ',', names: ['registration'], above: [], line: 0 });
    return { layout, pages: readTexts(source, rules) };
  }
  // A title of content cannot be told from a row.
  const header = await readHeader(source, isKnown, { searched: hasLines ? 1 : SEARCHED_ROWS });
  if (header === undefined) throw new FileRefused(`the file is empty: ${requiredColumnsClause(columns)}`);
  const layout = findLayout(header);
  requireTitlesAbove(header, layout.registration + layout.cut);
  return { layout, pages: readCells(source, header, layout, hasLines) };
};

import { nameKey, REGISTRATION_NAMES, usualField } from '../../../csv/column-names.ts';
import { findEncoding } from '../../../csv/encoding.ts';
import { readHeader, requireTitlesAbove } from '../../../csv/header.ts';
import { readLines } from '../../../csv/lines.ts';
import { type CsvHeader, type CsvRow, mayContainRows, readCsv } from '../../../csv/read-csv.ts';
import {
  findPlaceholder,
  hasTextBeside,
  isLikelyRegistration,
  isShifted,
  mayBeCut,
  patternOf,
} from '../../../csv/registration-cell.ts';
import { type Encoding, type TextFile, UnreadableFile } from '../../../csv/text.ts';
import { CannotRun, quoted, unreadable } from './failure.ts';
import { isZip, readWorkbook, type Sheet } from './workbook.ts';

export interface FleetRow {
  /** The number of the row, as spreadsheets show it. */
  readonly line: number;
  readonly cells: readonly string[];
  /**
   * Why the row is not looked up. With text in more cells than the header names, its registration may be in another
   * cell. A row of totals has no registration, and a date in its place is an invalid one.
   */
  readonly error?: 'TOO_MANY_CELLS' | 'CUT_OFF' | 'NO_REGISTRATION' | 'INVALID_REGISTRATION';
}

/** A list with a row that names the columns and a column of registrations. */
export interface FleetFile {
  readonly header: readonly string[];
  /** The row of the header, if rows with text are above it. */
  readonly lineBelowTitle: number | undefined;
  readonly columnIndex: number;
  /** Of CSV that is written for the reader of this list. */
  readonly delimiter: string;
  readonly lineEnd: string;
  readonly sheet: Sheet | undefined;
  /** The rows below the header that are not empty. */
  readonly rows: readonly FleetRow[];
}

interface FleetOptions {
  /** The name of the column of registrations, if it has none of the usual names. */
  readonly column?: string | undefined;
  /** The encoding of the file. When absent, it is detected. */
  readonly encoding?: Encoding | undefined;
  /** Number of rows in which the header is searched. Default: 1. */
  readonly searched?: number;
  /** The row of the header, which is then not searched. */
  readonly headerLine?: number | undefined;
  /** The name of the sheet, if the file is a workbook. */
  readonly sheet?: string | undefined;
}

const TOTAL = /^(?:total|sum|summe)(?:\s*:)?[\d.,\s]*$/i;

/** The index of the column of registrations. @throws CannotRun with the columns from which to choose */
const findColumn = (
  path: string,
  { names: header, below }: CsvHeader,
  isWanted: (name: string) => boolean,
  wanted: string | undefined,
): number => {
  const found = header.filter(isWanted);
  if (found.length > 1) {
    const choice =
      wanted === undefined ? `choose one of ${quoted(found)} with --column` : `rename one of ${quoted(found)}`;
    throw new CannotRun(`${path} has several columns that could be the registration: ${choice}.`);
  }
  const [name] = found;
  if (name !== undefined) return header.indexOf(name);
  // In a file with one column, a name with a digit may be the first vehicle of a file without a header, and a name
  // above another text may be a title.
  const isAlone = header.length === 1;
  if (wanted === undefined && isAlone && !/\d/.test(`${header}`) && /\d/.test(`${below}`)) return 0;
  const choice = isAlone ? 'name it' : `choose one of ${quoted(header.filter((name) => name.trim() !== ''))}`;
  throw new CannotRun(
    `${path} has no column "${wanted ?? 'registration'}": ${choice} with --column, or the line of the header with --header-line.`,
  );
};

const findLineEnd = async (file: TextFile): Promise<string> => {
  for await (const { lines } of readLines(file)) for (const { end } of lines) return end || '\n';
  return '\n';
};

const readRows = async (file: TextFile | Sheet, header: CsvHeader, columnIndex: number): Promise<FleetRow[]> => {
  const rows: CsvRow[] = [];
  for await (const chunk of readCsv(file, header, { keepsBlanks: true })) {
    for (const row of chunk.rows) {
      if (
        !('rows' in file) &&
        row.cells.some((cell, at) => mayContainRows(cell, at === columnIndex, header.delimiter))
      ) {
        throw new UnreadableFile(`line ${row.line} has a line end within a cell, so a quote may be missing there`);
      }
      rows.push(row);
    }
  }
  const { names } = header;
  const fields = names.map(usualField);
  const patterns = new Set(rows.slice(0, -1).map(({ cells }) => patternOf(cells[columnIndex] ?? '')));
  const errorOf = (row: CsvRow, isLast: boolean): FleetRow['error'] => {
    const { cells } = row;
    if (cells.slice(names.length).some((cell) => cell.trim() !== '')) return 'TOO_MANY_CELLS';
    const registration = (cells[columnIndex] ?? '').trim();
    if (registration === '') {
      return isLast || cells.some((cell) => TOTAL.test(cell.trim())) ? 'NO_REGISTRATION' : undefined;
    }
    const placeholder = findPlaceholder(registration, names[columnIndex]);
    if (placeholder === 'a total' || placeholder === 'the name of a column') return 'NO_REGISTRATION';
    const isSpread = !isLikelyRegistration(registration) && hasTextBeside(cells, columnIndex, names);
    // A cell of a workbook may have several lines.
    const isInvalid = placeholder !== undefined || /[\r\n]/.test(registration) || isShifted(cells, columnIndex, fields);
    if (isInvalid || isSpread) return 'INVALID_REGISTRATION';
    return names.length > 1 && mayBeCut(row, columnIndex, patterns) ? 'CUT_OFF' : undefined;
  };
  return rows.map((row, index) => {
    const error = errorOf(row, index === rows.length - 1);
    return { line: row.row, cells: row.cells, ...(error !== undefined && { error }) };
  });
};

/** The delimiter with which a spreadsheet program of this country opens CSV. */
const localDelimiter = (): string => ((1.5).toLocaleString().includes(',') ? ';' : ',');

export const readFleet = async (path: string, options: FleetOptions = {}): Promise<FleetFile> => {
  const { column: wanted, encoding: given, searched = 1, headerLine } = options;
  const known = (wanted === undefined ? ['registration', ...REGISTRATION_NAMES] : [wanted]).map(nameKey);
  const isWanted = (name: string) => known.includes(nameKey(name));
  try {
    const sheet = (await isZip(path))
      ? await readWorkbook(path, { sheet: options.sheet, isWanted, searched: headerLine ?? searched })
      : undefined;
    if (sheet === undefined && options.sheet !== undefined) {
      throw new CannotRun(`${path} is no Excel workbook (.xlsx): leave out --sheet.`);
    }
    const file = sheet ?? { path, encoding: await findEncoding(path, given) };
    const header = await readHeader(file, isWanted, { searched, headerLine });
    if (header === undefined) {
      throw new CannotRun(headerLine ? `${path} has no row on line ${headerLine}.` : `${path} is empty.`);
    }
    const columnIndex = findColumn(path, header, isWanted, wanted);
    if (headerLine === undefined) requireTitlesAbove(header, columnIndex);
    return {
      header: header.names,
      lineBelowTitle: header.above.length > 0 ? header.row : undefined,
      columnIndex,
      delimiter: sheet === undefined ? header.delimiter : localDelimiter(),
      lineEnd: 'rows' in file ? '\r\n' : await findLineEnd(file),
      sheet,
      rows: await readRows(file, header, columnIndex),
    };
  } catch (error) {
    const isOfFile = error instanceof UnreadableFile || (error as NodeJS.ErrnoException).code !== undefined;
    throw isOfFile ? unreadable(path, error) : error;
  }
};

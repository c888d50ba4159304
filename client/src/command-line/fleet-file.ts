import { nameKey, REGISTRATION_NAMES } from '../../../csv/column-names.ts';
import { findEncoding } from '../../../csv/encoding.ts';
import { readLines } from '../../../csv/lines.ts';
import { type CsvHeader, type CsvRow, mayHideRow, readCsv, readHeader } from '../../../csv/read-csv.ts';
import { type Encoding, type TextFile, UnreadableFile } from '../../../csv/text.ts';
import { CannotRun, unreadable } from './failure.ts';

export interface FleetRow extends CsvRow {
  /**
   * Why the row is not looked up. With text in more cells than the header names, its registration may be in another
   * cell. A row of totals has no registration.
   */
  readonly error?: 'TOO_MANY_CELLS' | 'NO_REGISTRATION';
}

/** A CSV file with a header line and a column of registrations. */
export interface FleetFile {
  readonly header: readonly string[];
  /** The line of the header, if rows with text are above it. */
  readonly lineBelowTitle: number | undefined;
  /** The index of the column of registrations. */
  readonly columnIndex: number;
  readonly delimiter: string;
  readonly lineEnd: string;
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
  /** The line of the header, which is then not searched. */
  readonly headerLine?: number | undefined;
}

/** A cell of a row of totals. */
const TOTAL = /^(?:total|sum|summe)(?:\s*:)?[\d.,\s]*$/i;
/** A total in place of a registration. A number needs a colon there, because `SUM 123` is a registration. */
const TOTAL_FOR_REGISTRATION = /^(?:total|sum|summe)\s*(?::[\d.,\s]*)?$/i;

const quoted = (names: readonly string[]): string =>
  names
    .filter((name) => name.trim() !== '')
    .map((name) => JSON.stringify(name))
    .join(', ');

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
  const choice = isAlone ? 'name it' : `choose one of ${quoted(header)}`;
  throw new CannotRun(
    `${path} has no column "${wanted ?? 'registration'}": ${choice} with --column, or the line of the header with --header-line.`,
  );
};

const findLineEnd = async (file: TextFile): Promise<string> => {
  for await (const { lines } of readLines(file)) for (const { end } of lines) return end || '\n';
  return '\n';
};

const readRows = async (file: TextFile, header: CsvHeader, columnIndex: number): Promise<FleetRow[]> => {
  const rows: CsvRow[] = [];
  for await (const chunk of readCsv(file, header)) {
    for (const row of chunk.rows) {
      if (row.cells.some((cell, index) => mayHideRow(cell, index === columnIndex, header.delimiter))) {
        throw new UnreadableFile(`line ${row.line} has a line end within a cell, so a quote may be missing there`);
      }
      rows.push(row);
    }
  }
  const errorOf = ({ cells }: CsvRow, isLast: boolean): FleetRow['error'] => {
    if (cells.slice(header.names.length).some((cell) => cell.trim() !== '')) return 'TOO_MANY_CELLS';
    const registration = (cells[columnIndex] ?? '').trim();
    const isTotal =
      registration === ''
        ? isLast || cells.some((cell) => TOTAL.test(cell.trim()))
        : TOTAL_FOR_REGISTRATION.test(registration);
    return isTotal ? 'NO_REGISTRATION' : undefined;
  };
  return rows.map((row, index) => {
    const error = errorOf(row, index === rows.length - 1);
    return error === undefined ? row : { ...row, error };
  });
};

/** @throws CannotRun */
export const readFleet = async (path: string, options: FleetOptions = {}): Promise<FleetFile> => {
  const { column: wanted, encoding: given, searched = 1, headerLine } = options;
  const known = (wanted === undefined ? ['registration', ...REGISTRATION_NAMES] : [wanted]).map(nameKey);
  const isWanted = (name: string) => known.includes(nameKey(name));
  try {
    const file = { path, encoding: await findEncoding(path, given) };
    const header = await readHeader(file, isWanted, { searched, headerLine });
    if (header === undefined) {
      throw new CannotRun(headerLine ? `${path} has no row on line ${headerLine}.` : `${path} is empty.`);
    }
    const columnIndex = findColumn(path, header, isWanted, wanted);
    return {
      header: header.names,
      lineBelowTitle: header.above > 0 ? header.line : undefined,
      columnIndex,
      delimiter: header.delimiter,
      lineEnd: await findLineEnd(file),
      rows: await readRows(file, header, columnIndex),
    };
  } catch (error) {
    const isOfFile = error instanceof UnreadableFile || (error as NodeJS.ErrnoException).code !== undefined;
    throw isOfFile ? unreadable(path, error) : error;
  }
};

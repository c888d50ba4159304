import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { nameKey, REGISTRATION_NAMES } from '../../../csv/column-names.ts';
import { findEncoding, findMark } from '../../../csv/encoding.ts';
import { readLines } from '../../../csv/lines.ts';
import { type CsvHeader, type CsvRow, mayHideRow, readCsv, readHeader } from '../../../csv/read-csv.ts';
import { type Encoding, type TextFile, UnreadableFile } from '../../../csv/text.ts';
import { CannotRun, unreadable } from './failure.ts';

export interface FleetRow {
  /** The line on which it begins. */
  readonly line: number;
  readonly cells: readonly string[];
  /**
   * Why it is not looked up: with text in more cells than the header names its registration may be in another cell;
   * a total has none.
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
  readonly rowCount: number;
  readonly delimiter: string;
  readonly lineEnd: string;
  /** Whether the result begins with a byte order mark even if it is all ASCII. */
  readonly hasMark: boolean;
  /** Metadata of the file before it was first read. */
  readonly stats: BigIntStats;
  /** The rows below the header that are not empty. Reads the file again. */
  readonly rows: () => AsyncGenerator<FleetRow>;
}

interface FleetOptions {
  /** The name of the column of registrations, if it has none of the usual names. */
  readonly column?: string | undefined;
  /** Detected if absent. */
  readonly encoding?: Encoding | undefined;
  /** The header is searched in so many rows. Default: 1. */
  readonly searched?: number;
  /** The line of the header, which is then not searched. */
  readonly headerLine?: number | undefined;
}

/** A cell of a row of totals. */
const TOTAL = /^(?:total|sum|summe)\s*:?\s*[\d., ]*$/i;

const quoted = (names: readonly string[]): string =>
  names
    .filter((name) => name.trim() !== '')
    .map((name) => JSON.stringify(name))
    .join(', ');

const namesOf = (wanted: string | undefined): string[] =>
  (wanted === undefined ? ['registration', ...REGISTRATION_NAMES] : [wanted]).map(nameKey);

/** The index of the column of registrations. @throws CannotRun with the columns from which to choose */
export const findColumn = (
  path: string,
  { names: header, below }: Pick<CsvHeader, 'names' | 'below'>,
  wanted: string | undefined,
): number => {
  const known = namesOf(wanted);
  const found = header.filter((name) => known.includes(nameKey(name)));
  if (found.length > 1) {
    const choice =
      wanted === undefined ? `choose one of ${quoted(found)} with --column` : `rename one of ${quoted(found)}`;
    throw new CannotRun(`${path} has several columns that could be the registration: ${choice}.`);
  }
  const [name] = found;
  if (name !== undefined) return header.indexOf(name);
  // A name with a digit may be the first vehicle of a file without a header, one above another text a title.
  const isAlone = header.length === 1;
  if (wanted === undefined && isAlone && !/\d/.test(`${header}`) && /\d/.test(`${below}`)) return 0;
  const choice = isAlone ? 'name it' : `choose one of ${quoted(header)}`;
  throw new CannotRun(
    `${path} has no column "${wanted ?? 'registration'}": ${choice} with --column, or the line of the header with --header-line.`,
  );
};

const asCannotRun = (error: unknown, path: string): unknown => {
  const isOfFile = error instanceof UnreadableFile || (error as NodeJS.ErrnoException).code !== undefined;
  return isOfFile ? unreadable(path, error) : error;
};

/** The first line end of a file. */
const findLineEnd = async (file: TextFile): Promise<string> => {
  for await (const { lines } of readLines(file)) for (const { end } of lines) return end || '\n';
  return '\n';
};

/** Opens a CSV file, and reads it to validate it and count its rows. @throws CannotRun, or what `find` throws */
export const openFleet = async (
  path: string,
  find: (header: CsvHeader) => number,
  { column: wanted, encoding: given, searched = 1, headerLine }: FleetOptions = {},
): Promise<FleetFile> => {
  const known = namesOf(wanted);
  try {
    const stats = await stat(path, { bigint: true });
    const file = { path, encoding: await findEncoding(path, given) };
    const hasMark = file.encoding !== 'utf-8' || (await findMark(path)) !== undefined;
    const header = await readHeader(file, (name) => known.includes(nameKey(name)), { searched, headerLine });
    if (header === undefined) {
      throw new CannotRun(headerLine ? `${path} has no row on line ${headerLine}.` : `${path} is empty.`);
    }
    const { names, delimiter } = header;
    const columnIndex = find(header);
    let lastLine = 0;
    const errorOf = ({ line, cells }: CsvRow): FleetRow['error'] => {
      if (cells.slice(names.length).some((cell) => cell.trim() !== '')) return 'TOO_MANY_CELLS';
      if (cells[columnIndex]?.trim()) return undefined;
      const isTotal = line === lastLine || cells.some((cell) => TOTAL.test(cell.trim()));
      return isTotal ? 'NO_REGISTRATION' : undefined;
    };
    const read = async function* (keepsBlanks: boolean): AsyncGenerator<FleetRow> {
      try {
        for await (const chunk of readCsv(file, header, { keepsBlanks })) {
          for (const row of chunk.rows) {
            if (row.cells.some((cell, index) => mayHideRow(cell, index === columnIndex, delimiter))) {
              throw new UnreadableFile(
                `line ${row.line} has a line end within a cell, so a quote may be missing there`,
              );
            }
            const error = errorOf(row);
            yield error === undefined ? row : { ...row, error };
          }
        }
      } catch (error) {
        throw asCannotRun(error, path);
      }
    };
    let rowCount = 0;
    for await (const { line } of read(false)) {
      rowCount += 1;
      lastLine = line;
    }
    // What is read now is valid, and its cells are copied to the result as they are.
    const rows = () => read(true);
    const lineBelowTitle = header.above > 0 ? header.line : undefined;
    const form = { delimiter, lineEnd: await findLineEnd(file), hasMark, stats };
    return { header: names, lineBelowTitle, columnIndex, rowCount, ...form, rows };
  } catch (error) {
    throw asCannotRun(error, path);
  }
};

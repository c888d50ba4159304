import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { nameKey, REGISTRATION_NAMES } from '../../../csv/column-names.ts';
import { findEncoding, findMark } from '../../../csv/encoding.ts';
import { readLines } from '../../../csv/lines.ts';
import { mayHideRow, readCsv, readHeader } from '../../../csv/read-csv.ts';
import { type Encoding, type TextFile, UnreadableFile } from '../../../csv/text.ts';
import { CannotRun, unreadable } from './failure.ts';

export interface FleetRow {
  /** The line on which it begins. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why its registration cannot be read: with text in more cells than the header names it may be in another cell. */
  readonly error?: 'TOO_MANY_CELLS';
}

/** A CSV file with a header line and a column of registrations. */
export interface FleetFile {
  readonly header: readonly string[];
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
}

const quoted = (names: readonly string[]): string =>
  names
    .filter((name) => name.trim() !== '')
    .map((name) => JSON.stringify(name))
    .join(', ');

const namesOf = (wanted: string | undefined): string[] =>
  (wanted === undefined ? ['registration', ...REGISTRATION_NAMES] : [wanted]).map(nameKey);

/** The index of the column of registrations. @throws CannotRun with the columns from which to choose */
export const findColumn = (path: string, header: readonly string[], wanted: string | undefined): number => {
  const known = namesOf(wanted);
  const found = header.filter((name) => known.includes(nameKey(name)));
  if (found.length > 1) {
    const choice =
      wanted === undefined ? `choose one of ${quoted(found)} with --column` : `rename one of ${quoted(found)}`;
    throw new CannotRun(`${path} has several columns that could be the registration: ${choice}.`);
  }
  const [name] = found;
  if (name !== undefined) return header.indexOf(name);
  // A name with a digit may be the first vehicle of a file without a header.
  if (wanted === undefined && header.length === 1 && !/\d/.test(`${header}`)) return 0;
  throw new CannotRun(
    `${path} has no column "${wanted ?? 'registration'}" in its first line, which must name the columns: choose one of ${quoted(header)} with --column.`,
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
  find: (header: readonly string[]) => number,
  { column: wanted, encoding: given }: FleetOptions = {},
): Promise<FleetFile> => {
  const known = namesOf(wanted);
  try {
    const stats = await stat(path, { bigint: true });
    const file = { path, encoding: await findEncoding(path, given) };
    const hasMark = file.encoding !== 'utf-8' || (await findMark(path)) !== undefined;
    const header = await readHeader(file, (name) => known.includes(nameKey(name)));
    if (header === undefined) throw new CannotRun(`${path} is empty.`);
    const { names, delimiter } = header;
    const columnIndex = find(names);
    const read = async function* (keepsBlanks: boolean): AsyncGenerator<FleetRow> {
      try {
        for await (const chunk of readCsv(file, header, { keepsBlanks })) {
          for (const row of chunk.rows) {
            if (row.cells.some((cell, index) => mayHideRow(cell, index === columnIndex, delimiter))) {
              throw new UnreadableFile(
                `line ${row.line} has a line end within a cell, so a quote may be missing there`,
              );
            }
            const hasMoreCells = row.cells.slice(names.length).some((cell) => cell.trim() !== '');
            yield hasMoreCells ? { ...row, error: 'TOO_MANY_CELLS' } : row;
          }
        }
      } catch (error) {
        throw asCannotRun(error, path);
      }
    };
    let rowCount = 0;
    for await (const _ of read(false)) rowCount += 1;
    // What is read now is valid, and its cells are copied to the result as they are.
    const rows = () => read(true);
    return { header: names, columnIndex, rowCount, delimiter, lineEnd: await findLineEnd(file), hasMark, stats, rows };
  } catch (error) {
    throw asCannotRun(error, path);
  }
};

import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type Encoding, findEncoding, findMark, UnreadableFile } from '../../../csv/encoding.ts';
import { nameKey, REGISTRATION_NAMES, readCsv } from '../../../csv/read-csv.ts';
import { hasTooManyCells, isEmpty, parseRecords } from '../../../csv/records.ts';
import { CannotRun, unreadable } from './failure.ts';

export interface FleetRow {
  /** The line on which it begins. */
  readonly line: number;
  /** A best effort when there is an error. */
  readonly cells: readonly string[];
  /** Why its registration cannot be read: it may be in another cell. */
  readonly error?: 'TOO_MANY_CELLS' | 'MALFORMED_ROW';
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
  if (wanted === undefined && found.length > 1) {
    throw new CannotRun(
      `${path} has several columns that could be the registration: choose one of ${quoted(found)} with --column.`,
    );
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
  if (error instanceof UnreadableFile) return new CannotRun(`${path} cannot be read: ${error.message}.`);
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof CannotRun || code === undefined) return error;
  return unreadable(path, error);
};

/** Opens a CSV file, and reads it to validate it and count its rows. @throws CannotRun, or what `find` throws */
export const openFleet = async (
  path: string,
  find: (header: readonly string[]) => number,
  { column: wanted, encoding: given }: FleetOptions = {},
): Promise<FleetFile> => {
  const known = namesOf(wanted);
  const isKnown = (name: string) => known.includes(nameKey(name));
  try {
    const stats = await stat(path, { bigint: true });
    const encoding = await findEncoding(path, given);
    const hasMark = encoding !== 'utf-8' || (await findMark(path)) !== undefined;
    const read = async function* () {
      for await (const { header, rows } of readCsv({ path, encoding }, isKnown)) {
        const { delimiter, names } = header;
        const records = parseRecords(
          rows.map(({ text }) => text),
          delimiter,
        );
        const found = records.flatMap((record, index): FleetRow[] => {
          if (isEmpty(record)) return [];
          const row = { line: rows[index]?.line ?? 0, cells: record.cells };
          if (record.issue !== undefined) return [{ ...row, error: 'MALFORMED_ROW' }];
          return [hasTooManyCells(record, names.length) ? { ...row, error: 'TOO_MANY_CELLS' } : row];
        });
        yield { header, found };
      }
    };
    let opened: Pick<FleetFile, 'header' | 'columnIndex' | 'delimiter' | 'lineEnd'> | undefined;
    let rowCount = 0;
    for await (const { header, found } of read()) {
      const { names, delimiter, lineEnd } = header;
      opened ??= { header: names, columnIndex: find(names), delimiter, lineEnd: lineEnd || '\n' };
      rowCount += found.length;
    }
    if (opened === undefined) throw new CannotRun(`${path} is empty.`);
    const rows = async function* () {
      try {
        for await (const { found } of read()) yield* found;
      } catch (error) {
        throw asCannotRun(error, path);
      }
    };
    return { ...opened, rowCount, hasMark, stats, rows };
  } catch (error) {
    throw asCannotRun(error, path);
  }
};

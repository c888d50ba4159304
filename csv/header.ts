import { usualField } from './column-names.ts';
import {
  type CsvHeader,
  type CsvRow,
  DELIMITERS,
  declaredDelimiter,
  mayContainRows,
  NO_DELIMITER,
  parseRows,
  type Table,
} from './read-csv.ts';
import { isLikelyRegistration, mayBeRegistration, patternOf } from './registration-cell.ts';
import { requireHeaderAlone } from './swallowed-row.ts';
import { type TextFile, UnreadableFile } from './text.ts';

/** The first rows, as many as there are before a problem. @throws UnreadableFile when the first one has a problem */
const readFirstRows = async (file: TextFile | Table, delimiter: string, count: number): Promise<CsvRow[]> => {
  const found: CsvRow[] = [];
  try {
    for await (const { rows } of parseRows(file, delimiter, { keepsBlanks: true })) {
      found.push(...rows.slice(0, count - found.length));
      if (found.length === count) break;
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile) || found.length === 0) throw error;
  }
  return found;
};

/** Rows in which a header is searched: titles and remarks may be above it. */
export const SEARCHED_ROWS = 20;

interface HeaderOptions {
  /** Number of rows in which the header is searched by its known names. Default: 1. */
  readonly searched?: number;
  /** The row of the header, as spreadsheets show it, which is then not searched. */
  readonly headerLine?: number | undefined;
}

interface Candidate extends CsvHeader {
  /** Whether one of its names is known. */
  readonly isFound: boolean;
  /** Compared from left to right: the first number that is greater decides for its candidate. */
  readonly score: readonly number[];
}

/**
 * Of rows with known names the best is no vehicle, belongs to a table, and has the most of them; of others it has the
 * most cells. A title has one cell, or a delimiter of its own.
 */
const candidatesOf = (rows: readonly CsvRow[], delimiter: string, isKnown: (name: string) => boolean): Candidate[] => {
  const isName = (text: string) => isKnown(text) || usualField(text) !== undefined;
  return rows.map(({ line, row, cells: names }, nth) => {
    const filled = names.filter((name) => name.trim() !== '').length;
    const known = names.filter(isKnown).length;
    const isAlone = rows.every((other) => other.line === line || other.cells.length < filled);
    const isVehicle = names.some(isLikelyRegistration);
    const first = known > 0 ? [1, Number(!isVehicle), Number(filled > 1 && !isAlone), known] : [0, filled];
    const score = [...first, names.filter(isName).length, -line, names.length];
    const [above, below] = [rows.slice(0, nth), rows[nth + 1]?.cells ?? []];
    return { delimiter, line, row, above, names, below, isName, isFound: known > 0, score };
  });
};

const compareCandidates = (a: Candidate, b: Candidate): number =>
  b.score.map((number, nth) => number - (a.score[nth] ?? 0)).find((difference) => difference !== 0) ?? 0;

/**
 * Finds the row that names the columns; undefined for a file without any text. Without a `sep=` line the delimiter is
 * the one with the most known columns, then the one with the most columns.
 * @throws UnreadableFile
 */
export const readHeader = async (
  file: TextFile | Table,
  isKnown: (name: string) => boolean,
  { searched = 1, headerLine }: HeaderOptions = {},
): Promise<CsvHeader | undefined> => {
  const candidates: Candidate[] = [];
  let failure: unknown;
  const count = headerLine ?? searched;
  for (const delimiter of 'rows' in file ? [NO_DELIMITER] : DELIMITERS) {
    try {
      const [first, ...others] = await readFirstRows(file, delimiter, count + 1);
      if (first === undefined) continue;
      const declared = declaredDelimiter(first.cells, delimiter);
      const rows =
        declared === undefined ? [first, ...others] : (await readFirstRows(file, declared, count + 2)).slice(1);
      candidates.push(...candidatesOf(rows, declared ?? delimiter, isKnown).slice(0, count));
      if (declared !== undefined) break;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      failure ??= error;
    }
  }
  const [best] = candidates
    // Read with a wrong delimiter, an empty row has cells with punctuation only.
    .filter(({ names }) => names.some((name) => /[\p{L}\p{N}]/u.test(name)))
    .filter(({ row }) => headerLine === undefined || row === headerLine)
    .toSorted(compareCandidates);
  // Read with another delimiter, a header with a wrong quote is one cell.
  if (failure !== undefined && (best === undefined || best.names.length === 1)) throw failure;
  if (best === undefined) return undefined;
  const { delimiter, line, names } = best;
  if (names.some((name) => mayContainRows(name, false, delimiter))) {
    throw new UnreadableFile(
      `line ${line}, which names the columns, has a line end within a name that seems to be a row: a quote may be missing`,
    );
  }
  if (best.isFound && names.some((name, at) => isVehicleName(name, best.below[at] ?? ''))) {
    throw new UnreadableFile(`row ${best.row} seems to name the columns, and to be a vehicle: put the names first`);
  }
  requireHeaderAlone(best, best.isName);
  return best;
};

/** Whether a name is a registration in capitals, of the same pattern as the cell below it. */
const isVehicleName = (name: string, below: string): boolean =>
  isLikelyRegistration(name) && !/\p{Ll}/u.test(name) && patternOf(name) === patternOf(below);

/** A title that may read as a registration, such as `Fleet 2026`, has a word in small letters. */
const TITLE = /\p{Lu}\p{Ll}{2}/u;

/**
 * Titles may be above a header that was found, and vehicles may not: they would be left out.
 * @param column the index of the column of registrations
 * @throws UnreadableFile
 */
export const requireTitlesAbove = ({ above, row, names, below }: CsvHeader, column: number): void => {
  const pattern = patternOf(below[column] ?? '');
  const isVehicle = ({ cells }: CsvRow): boolean => {
    const texts = cells.filter((cell) => cell.trim() !== '');
    const isFull = texts.length > 2 && texts.length > names.length / 2 && /\d/.test(texts.join());
    const registration = (cells[column] ?? '').trim();
    const isAlone = texts.length === 1;
    const hasAnother = texts.some((text) => isLikelyRegistration(text) && patternOf(text) === pattern);
    return isFull || hasAnother || (mayBeRegistration(registration) && !(isAlone && TITLE.test(registration)));
  };
  const found = above.find(isVehicle);
  if (found === undefined) return;
  throw new UnreadableFile(
    `row ${row} names the columns, and row ${found.row} above it seems to be a vehicle: put the names first, or delete what is above them`,
  );
};

/** The names of the columns of a CSV file; none when it is empty or no CSV. Reads only its beginning. */
export const readColumnNames = async (file: TextFile): Promise<readonly string[]> => {
  try {
    return (await readHeader(file, () => false))?.names ?? [];
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return [];
  }
};

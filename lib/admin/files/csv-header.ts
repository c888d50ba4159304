import { CommandFailure } from '../command/outcome.ts';
import { printable } from '../command/printable.ts';
import { parseRecords } from './csv-records.ts';
import { MAX_ROW_LENGTH } from './lines.ts';

/** The required and optional columns of a CSV file, in any order. */
export interface Columns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Whether any other columns may be there; their cells are not used. */
  readonly others?: boolean;
}

/** How the rows of a CSV file are written: its delimiter, and the name of each column, null for one that is not used. */
export interface CsvLayout {
  readonly delimiter: string;
  readonly columns: readonly (string | null)[];
}

/** Semicolons come from Excel where the decimal sign is a comma, tabs from copying cells. */
const DELIMITERS = [',', ';', '\t'] as const;
/** A first line with which Excel is given the delimiter; saved again, it has a delimiter for each column. */
const DELIMITER_LINE = /^"?sep=([^"\r])"?[,;\t]*\r?$/i;
const MAX_SHOWN = 20;
const MAX_SHOWN_LENGTH = 40;

/** The delimiter that a first line is for; undefined when it is a header. */
export const delimiterIn = (line: string): string | undefined => DELIMITER_LINE.exec(line)?.[1];

/** `Valid From`, `VALID_FROM` and `validFrom` are the same name. */
const nameKey = (name: string): string => name.replace(/[\s_-]/g, '').toLowerCase();

/** What the first line of a file must be, as a clause. */
export const mustName = ({ required, optional }: Columns): string =>
  `its first line must name ${required.join(', ')}${optional.length > 0 ? ` and may name ${optional.join(', ')}` : ''}`;

const listed = (label: string, names: readonly string[]): string[] => {
  if (names.length === 0) return [];
  const more = names.length - MAX_SHOWN;
  const shown = names.slice(0, MAX_SHOWN).join(', ');
  return [`${label}: ${shown}${more > 0 ? ` and ${more.toLocaleString('en-GB')} more` : ''}`];
};

/** @throws CommandFailure naming columns that are missing, unknown or repeated */
const readColumns = (
  cells: readonly string[],
  expected: Columns,
  known: ReadonlyMap<string, string>,
): (string | null)[] => {
  const given = new Set<string>();
  const repeated = new Set<string>();
  const unknown: string[] = [];
  const columns = cells.map((cell) => {
    const name = known.get(nameKey(cell)) ?? null;
    if (name !== null) (given.has(name) ? repeated : given).add(name);
    else if (!expected.others) unknown.push(JSON.stringify(printable(cell.trim(), MAX_SHOWN_LENGTH)));
    return name;
  });
  const missing = expected.required.filter((name) => !given.has(name));
  const issues = [
    ...listed('missing', missing),
    ...listed('unknown', unknown),
    ...listed('there twice', [...repeated]),
  ];
  if (issues.length === 0) return columns;
  throw new CommandFailure(
    `the columns of the file are not as they should be (${issues.join('; ')}); ${mustName(expected)}`,
  );
};

/**
 * The layout of a file by its header row: the delimiter with which it has the most known columns, unless one is given.
 * @throws CommandFailure when columns are missing, unknown or repeated, or it is too long
 */
export const readHeader = (text: string, expected: Columns, given: string | undefined): CsvLayout => {
  if (text.length > MAX_ROW_LENGTH) throw new CommandFailure('the header of the file is too long');
  const known = new Map([...expected.required, ...expected.optional].map((name) => [nameKey(name), name]));
  const candidates = (given === undefined ? DELIMITERS : [given]).map((delimiter) => {
    const [{ cells } = { cells: [] }] = parseRecords([text], delimiter);
    return { delimiter, cells, count: cells.filter((cell) => known.has(nameKey(cell))).length };
  });
  const { delimiter, cells } = candidates.reduce((best, one) => (one.count > best.count ? one : best));
  return { delimiter, columns: readColumns(cells, expected, known) };
};

import { Help } from 'commander';
import { CommandFailure } from '../command/command-result.ts';
import { printable } from '../command/format.ts';
import { parseRecords, withoutCells } from './csv-records.ts';
import { MAX_ROW_LENGTH } from './lines.ts';

/** The columns of a CSV file that are used, in any order. */
export interface Columns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Whether most files have other columns: then no notice names them. */
  readonly others?: boolean;
}

/** A column of a file that has none of its usual names, and the column that it is: `--map plate=registration`. */
export interface MappedColumn {
  readonly column: string;
  readonly name: string;
}

/** How the rows of a CSV file are written. */
export interface CsvLayout {
  readonly delimiter: string;
  /** The line that names the columns, as it is. */
  readonly header: string;
  /** The name of each column, null for one that is not used. */
  readonly columns: readonly (string | null)[];
  /** Leading cells to drop from each row: 2 in a file of rejected rows, otherwise 0. */
  readonly cut: number;
  /** Columns with a name that nobody knows. */
  readonly ignored: readonly string[];
}

/** Semicolons come from Excel where the decimal sign is a comma, tabs from copying cells. */
const DELIMITERS = [',', ';', '\t'] as const;
/** A first line with which Excel is given the delimiter; saved again, it has a delimiter for each column. */
const DELIMITER_LINE = /^"?sep=([^"\r])"?[,;\t]*\r?$/i;
const MAX_SHOWN = 20;
const MAX_SHOWN_LENGTH = 40;

/** What a file of rejected rows has before the columns of the rows. */
export const REJECTION_COLUMNS: readonly string[] = ['line', 'reason'];

/** Other usual names of columns, as `nameKey` makes them. The client has those of the registration too. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  registration: [
    ...['registration no', 'registration number', 'registration mark', 'reg', 'reg no', 'reg number', 'vrm', 'vrn'],
    ...['vehicle registration', 'vehicle registration number', 'vehicle registration mark', 'vehicle reg'],
    ...['plate', 'number plate', 'licence plate', 'license plate'],
  ],
  make: ['vehicle make', 'manufacturer'],
  model: ['vehicle model'],
  year: ['year of manufacture', 'manufacture year', 'model year', 'vehicle year'],
  color: ['colour', 'vehicle colour', 'vehicle color'],
  policy_number: ['policy', 'policy no', 'policy ref', 'policy reference'],
  insurer: ['insurer name', 'insurance company'],
  valid_from: ['start date', 'policy start', 'policy start date', 'cover from', 'cover start'],
  valid_to: ['end date', 'policy end', 'policy end date', 'expiry date', 'policy expiry', 'cover to', 'cover end'],
  policy_type: ['cover', 'cover type', 'type of cover'],
  last_updated: ['last update', 'updated', 'updated at', 'last modified'],
  mot_due: ['mot due date', 'mot expiry', 'mot expiry date', 'mot valid to'],
  tax_paid_until: ['tax valid to', 'tax expiry', 'tax expiry date', 'road tax paid until', 'taxed until'],
  outstanding_fines: ['fines', 'unpaid fines'],
  content: ['body'],
  meta_description: ['description'],
};

/** `Valid From`, `VALID_FROM` and `validFrom` are the same name. */
const nameKey = (name: string): string => name.replace(/[\s_.-]/g, '').toLowerCase();

/** The delimiter that a `sep=` line sets; undefined for any other line. */
export const delimiterIn = (line: string): string | undefined => DELIMITER_LINE.exec(line)?.[1];

/** The `sep=` line to write for a delimiter that cannot be detected; otherwise empty. */
export const delimiterLine = (delimiter: string): string =>
  (DELIMITERS as readonly string[]).includes(delimiter) ? '' : `sep=${delimiter}\r\n`;

/** What the first line of a file must be, as a clause. */
export const mustName = ({ required, optional }: Columns): string =>
  `its first line must name ${required.join(', ')}${optional.length > 0 ? ` and may name ${optional.join(', ')}` : ''}`;

/** Characters of the longest name. */
const NAME_WIDTH = 17;

/** The columns for `--help`, each with its other names. */
export const columnHelp = ({ required, optional }: Columns): string => {
  const help = new Help();
  const itemOf = (name: string) => {
    const others = `${optional.includes(name) ? '(optional) ' : ''}${OTHER_NAMES[name]?.join(', ') ?? ''}`;
    return help.formatItem(name, NAME_WIDTH, others, help);
  };
  return [...required, ...optional].map(itemOf).join('\n');
};

const shown = (name: string): string => JSON.stringify(printable(name.trim(), MAX_SHOWN_LENGTH));

/** Names of columns of a file, at most 20. */
export const listNames = (names: readonly string[]): string => {
  const more = names.length - MAX_SHOWN;
  return `${names.slice(0, MAX_SHOWN).map(shown).join(', ')}${more > 0 ? ` and ${more.toLocaleString('en-GB')} more` : ''}`;
};

/** Finds the column that a name is for. @throws CommandFailure when a column is mapped to none of these */
const columnFinder = ({ required, optional }: Columns, map: readonly MappedColumn[]) => {
  const names = [...required, ...optional];
  const mapped = new Map(map.map(({ column, name }) => [nameKey(column), name]));
  const given = new Set(mapped.values());
  for (const name of given) {
    if (!names.includes(name)) throw new CommandFailure(`--map: ${shown(name)} is not one of ${names.join(', ')}`);
  }
  const usual = names.filter((name) => !given.has(name));
  const known = new Map(
    usual.flatMap((name) => [name, ...(OTHER_NAMES[name] ?? [])].map((one) => [nameKey(one), name])),
  );
  return (cell: string): string | undefined => mapped.get(nameKey(cell)) ?? known.get(nameKey(cell));
};

type Finder = ReturnType<typeof columnFinder>;

/** @throws CommandFailure naming columns that are missing, or could be the same one */
const readColumns = (cells: readonly string[], expected: Columns, map: readonly MappedColumn[], find: Finder) => {
  const columns = cells.map((cell) => find(cell) ?? null);
  const cellsOf = Map.groupBy(cells, (_, index) => columns[index] ?? null);
  const missing = [
    ...map.filter(({ column }) => !cells.some((cell) => nameKey(cell) === nameKey(column))).map((one) => one.column),
    ...expected.required.filter((name) => !cellsOf.has(name)),
  ];
  const ignored = (cellsOf.get(null) ?? []).filter((cell) => !['', ...REJECTION_COLUMNS].includes(nameKey(cell)));
  const repeated = [...cellsOf].filter(([name, { length }]) => name !== null && length > 1);
  const issues = [
    ...(missing.length > 0 ? [`missing: ${missing.map((name) => printable(name)).join(', ')}`] : []),
    ...(missing.length > 0 && ignored.length > 0 ? [`unknown: ${listNames(ignored)}`] : []),
    ...repeated.map(([name, same]) => `several could be ${name}: ${listNames(same)}`),
  ];
  if (issues.length === 0) return { columns, ignored: expected.others ? [] : ignored };
  throw new CommandFailure(
    `the columns of the file are not as they should be (${issues.join('; ')}); ${mustName(expected)}; --map COLUMN=NAME says which one a column is`,
  );
};

/**
 * The layout of a file by its header row: the delimiter with which it has the most known columns, unless one is given.
 * @throws CommandFailure when columns are missing or could be the same one, or it is too long
 */
export const readHeader = (
  text: string,
  expected: Columns,
  map: readonly MappedColumn[],
  given: string | undefined,
): CsvLayout => {
  if (text.length > MAX_ROW_LENGTH) throw new CommandFailure('the header of the file is too long');
  const find = columnFinder(expected, map);
  const candidates = (given === undefined ? DELIMITERS : [given]).map((delimiter) => {
    const [{ cells } = { cells: [] }] = parseRecords([text], delimiter);
    return { delimiter, cells, count: cells.filter((cell) => find(cell) !== undefined).length };
  });
  const { delimiter, cells } = candidates.reduce((best, one) => (one.count > best.count ? one : best));
  const cut = REJECTION_COLUMNS.every((name, index) => nameKey(cells[index] ?? '') === name)
    ? REJECTION_COLUMNS.length
    : 0;
  const header = withoutCells(text, delimiter, cut);
  return { delimiter, header, cut, ...readColumns(cells.slice(cut), expected, map, find) };
};

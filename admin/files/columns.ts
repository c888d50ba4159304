import { Help } from 'commander';
import { nameKey, REGISTRATION_NAMES } from '../../csv/column-names.ts';
import type { CsvHeader } from '../../csv/read-csv.ts';
import { CommandFailure, FileRefused } from '../command/command-result.ts';
import { printable } from '../command/format.ts';

/** The columns of a CSV file that are used, in any order. */
export interface Columns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Whether files usually have other columns too. No notice names these then. */
  readonly others?: boolean;
}

/**
 * A column of a file whose name is not a usual one: `--map plate=registration` says that the column `plate` is
 * `registration`.
 */
export interface MappedColumn {
  readonly column: string;
  readonly name: string;
}

export interface CsvLayout {
  readonly delimiter: string;
  /** The names of the columns in the file, up to the last one that has a name: text behind it is beyond the header. */
  readonly header: readonly string[];
  /** The name of the field in each column; null for a column that is not used. */
  readonly columns: readonly (string | null)[];
  /** Leading cells to drop from each row: 2 in a file of rejected rows, otherwise 0. */
  readonly cut: number;
  /** Columns whose names are unknown. */
  readonly ignored: readonly string[];
}

const MAX_SHOWN = 20;
const MAX_SHOWN_LENGTH = 40;

/** The columns that a file of rejected rows has in front of the columns of the original file. */
export const REJECTION_COLUMNS: readonly string[] = ['line', 'reason'];

/** Other usual names of columns. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  registration: REGISTRATION_NAMES,
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

/** What the first line of a file must be, as a clause. */
export const requiredColumnsClause = ({ required, optional }: Columns): string =>
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

/**
 * Returns a function that finds the column for a name in a header. @throws CommandFailure when `--map` names an unknown
 * column
 */
export const columnFinder = ({ required, optional }: Columns, map: readonly MappedColumn[]) => {
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
  throw new FileRefused(
    `the columns of the file are not as they should be (${issues.join('; ')}); ${requiredColumnsClause(expected)}; --map COLUMN=NAME says which one a column is`,
  );
};

/** The layout of a file by its header. @throws CommandFailure when columns are missing or could be the same one */
export const findLayout = (
  { delimiter, names }: CsvHeader,
  expected: Columns,
  map: readonly MappedColumn[],
  find: Finder,
): CsvLayout => {
  const isRejected = REJECTION_COLUMNS.every((name, index) => nameKey(names[index] ?? '') === name);
  const cut = isRejected ? REJECTION_COLUMNS.length : 0;
  const header = names.slice(cut, names.findLastIndex((name) => name.trim() !== '') + 1);
  return { delimiter, header, cut, ...readColumns(header, expected, map, find) };
};

import { Help } from 'commander';
import { nameKey, REGISTRATION_NAMES } from '../../csv/column-names.ts';
import type { CsvHeader } from '../../csv/read-csv.ts';
import { CommandFailure, FileRefused } from '../command/command-result.ts';
import { printable } from '../command/format.ts';

export interface Columns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Whether files usually have other columns too. No notice names these then. */
  readonly others?: boolean;
}

/** `--map plate=registration` says that the column `plate` is `registration`. */
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
  readonly ignored: readonly string[];
}

const MAX_SHOWN = 20;
const MAX_SHOWN_LENGTH = 40;

/** The columns that a file of rejected rows has in front of the columns of the original file. */
export const REJECTION_COLUMNS: readonly string[] = ['line', 'reason'];

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

export const requiredColumnsClause = ({ required, optional }: Columns): string =>
  `its first line must name ${required.join(', ')}${optional.length > 0 ? ` and may name ${optional.join(', ')}` : ''}`;

/** Characters of the longest name. */
const NAME_WIDTH = 17;

export const columnHelp = ({ required, optional }: Columns): string => {
  const help = new Help();
  const itemOf = (name: string) => {
    const others = `${optional.includes(name) ? '(optional) ' : ''}${OTHER_NAMES[name]?.join(', ') ?? ''}`;
    return help.formatItem(name, NAME_WIDTH, others, help);
  };
  return [...required, ...optional].map(itemOf).join('\n');
};

const shown = (name: string): string => JSON.stringify(printable(name.trim(), MAX_SHOWN_LENGTH));

export const listNames = (names: readonly string[]): string => {
  const more = names.length - MAX_SHOWN;
  return `${names.slice(0, MAX_SHOWN).map(shown).join(', ')}${more > 0 ? ` and ${more.toLocaleString('en-GB')} more` : ''}`;
};

/**
 * Finds the columns of a file, which may have other names: `isKnown` recognises a name in a header, and `findLayout`
 * reads the whole header.
 * @throws CommandFailure when `--map` names an unknown column
 */
export const columnFinder = (expected: Columns, map: readonly MappedColumn[]) => {
  const names = [...expected.required, ...expected.optional];
  const mapped = new Map(map.map(({ column, name }) => [nameKey(column), name]));
  const given = new Set(mapped.values());
  for (const name of given) {
    if (!names.includes(name)) throw new CommandFailure(`--map: ${shown(name)} is not one of ${names.join(', ')}`);
  }
  const usual = names.filter((name) => !given.has(name));
  const known = new Map(
    usual.flatMap((name) => [name, ...(OTHER_NAMES[name] ?? [])].map((one) => [nameKey(one), name])),
  );
  const find = (cell: string): string | null => mapped.get(nameKey(cell)) ?? known.get(nameKey(cell)) ?? null;

  return {
    isKnown: (cell: string): boolean => find(cell) !== null,

    /** @throws FileRefused naming columns that are missing, or could be the same one */
    findLayout: ({ delimiter, names: cells }: CsvHeader): CsvLayout => {
      const isRejected = REJECTION_COLUMNS.every((name, index) => nameKey(cells[index] ?? '') === name);
      const cut = isRejected ? REJECTION_COLUMNS.length : 0;
      const header = cells.slice(cut, cells.findLastIndex((name) => name.trim() !== '') + 1);
      const cellsOf = Map.groupBy(header, find);
      const missing = [
        ...map
          .filter(({ column }) => !header.some((cell) => nameKey(cell) === nameKey(column)))
          .map((one) => one.column),
        ...expected.required.filter((name) => !cellsOf.has(name)),
      ];
      const ignored = (cellsOf.get(null) ?? []).filter((cell) => !['', ...REJECTION_COLUMNS].includes(nameKey(cell)));
      const repeated = [...cellsOf].filter(([name, { length }]) => name !== null && length > 1);
      const issues = [
        ...(missing.length > 0 ? [`missing: ${missing.map((name) => printable(name)).join(', ')}`] : []),
        ...(missing.length > 0 && ignored.length > 0 ? [`unknown: ${listNames(ignored)}`] : []),
        ...repeated.map(([name, same]) => `several could be ${name}: ${listNames(same)}`),
      ];
      if (issues.length === 0) {
        return { delimiter, header, cut, columns: header.map(find), ignored: expected.others ? [] : ignored };
      }
      throw new FileRefused(
        `the columns of the file are not as they should be (${issues.join('; ')}); ${requiredColumnsClause(expected)}; --map COLUMN=NAME says which one a column is`,
      );
    },
  };
};

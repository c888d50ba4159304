import { Help } from 'commander';
import { COLUMN_NAMES, nameKey, usualField } from '../../csv/column-names.ts';
import type { CsvHeader } from '../../csv/read-csv.ts';
import { CommandFailure, FileRefused } from '../command/command-result.ts';
import { printable } from '../command/format.ts';

export interface Columns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** `--map plate=registration` says that the column `plate` is `registration`. */
export interface MappedColumn {
  readonly column: string;
  readonly name: string;
}

type Header = Pick<CsvHeader, 'delimiter' | 'names' | 'above' | 'line'>;

export interface CsvLayout {
  readonly delimiter: string;
  /** The names of the columns in the file, up to the last one that has a name: text behind it is beyond the header. */
  readonly header: readonly string[];
  /** The name of the field in each column; null for a column that is not used. */
  readonly columns: readonly (string | null)[];
  /** Leading cells to drop from each row: 2 in a file of rejected rows, otherwise 0. */
  readonly cut: number;
  readonly ignored: readonly string[];
  /** The index of the column of registrations; -1 without one. */
  readonly registration: number;
  /** The line of the header, when rows above it are left out. */
  readonly lineBelowTitle: number | undefined;
  /** The fields that the columns seem to have, also those that are not used. */
  readonly fields: readonly (string | undefined)[];
}

/** `policy_number_2` and `Policy Number (2)` name a column once more. */
const withoutNumber = (name: string): string => name.replace(/[^\p{L}\d]/gu, '').replace(/\d{1,2}$/, '');

const MAX_SHOWN = 20;
const MAX_SHOWN_LENGTH = 40;

/** The columns that a file of rejected rows has in front of the columns of the original file. */
export const REJECTION_COLUMNS: readonly string[] = ['line', 'reason'];

/** What a spreadsheet would run as a formula, or what was escaped so that it is text. */
const FORMULA = /^(?='*[=+\-@\t\r])/;

/** Escaped as spreadsheet programs do it. */
export const escapeFormula = (cell: string): string => cell.replace(FORMULA, "'");

export const unescapeFormula = (cell: string): string => cell.replace(/^'(?='*[=+\-@\t\r])/, '');

export const requiredColumnsClause = ({ required, optional }: Columns): string =>
  `its header must name ${required.join(', ')}${optional.length > 0 ? ` and may name ${optional.join(', ')}` : ''}`;

/** Characters of the longest name. */
const NAME_WIDTH = 17;

export const columnHelp = ({ required, optional }: Columns): string => {
  const help = new Help();
  const itemOf = (name: string) => {
    const others = `${optional.includes(name) ? '(optional) ' : ''}${COLUMN_NAMES[name]?.join(', ') ?? ''}`;
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
    usual.flatMap((name) => [name, ...(COLUMN_NAMES[name] ?? [])].map((one) => [nameKey(one), name])),
  );
  const find = (cell: string): string | null => mapped.get(nameKey(cell)) ?? known.get(nameKey(cell)) ?? null;

  return {
    isKnown: (cell: string): boolean => find(cell) !== null,

    /** @throws FileRefused naming columns that are missing, or could be the same one */
    findLayout: ({ delimiter, names: cells, above, line }: Header): CsvLayout => {
      const isRejected = REJECTION_COLUMNS.every((name, index) => nameKey(cells[index] ?? '') === name);
      const cut = isRejected ? REJECTION_COLUMNS.length : 0;
      const names = cells.slice(cut, cells.findLastIndex((name) => name.trim() !== '') + 1);
      const header = isRejected ? names.map(unescapeFormula) : names;
      const cellsOf = Map.groupBy(header, find);
      const missing = [
        ...map
          .filter(({ column }) => !header.some((cell) => nameKey(cell) === nameKey(column)))
          .map((one) => one.column),
        ...expected.required.filter((name) => !cellsOf.has(name)),
      ];
      const ignored = (cellsOf.get(null) ?? []).filter((cell) => !['', ...REJECTION_COLUMNS].includes(nameKey(cell)));
      const findAgain = (cell: string) => find(cell) ?? known.get(nameKey(withoutNumber(cell))) ?? null;
      const repeated = [...Map.groupBy(header, findAgain)].filter(
        ([name, { length }]) => name !== null && cellsOf.has(name) && length > 1,
      );
      const issues = [
        ...(missing.length > 0 ? [`missing: ${missing.map((name) => printable(name)).join(', ')}`] : []),
        ...(missing.length > 0 && ignored.length > 0 ? [`unknown: ${listNames(ignored)}`] : []),
        ...repeated.map(([name, same]) => `several could be ${name}: ${listNames(same)}`),
      ];
      if (issues.length === 0) {
        const columns = header.map(find);
        return {
          delimiter,
          header,
          cut,
          columns,
          ignored,
          registration: columns.indexOf('registration'),
          lineBelowTitle: above.length > 0 ? line : undefined,
          fields: header.map((cell) => find(cell) ?? usualField(cell)),
        };
      }
      throw new FileRefused(
        `the columns of the file are not as they should be (${issues.join('; ')}); ${requiredColumnsClause(expected)}; --map COLUMN=NAME says which one a column is`,
      );
    },
  };
};

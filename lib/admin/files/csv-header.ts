import { CommandFailure } from '../command/command-failure.ts';

/** The required and optional columns of a CSV file, in any order. */
export interface Columns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

const listed = (label: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${label}: ${names.join(', ')}`];

/**
 * The columns of a file in its own order, from its header row; case and blanks around a name are ignored.
 * @throws CommandFailure naming every column that is missing, unknown or repeated
 */
export const readHeader = (cells: readonly string[], { required, optional }: Columns): string[] => {
  const columns = cells.map((cell) => cell.trim().toLowerCase());
  const known = new Set([...required, ...optional]);
  const issues = [
    ...listed(
      'missing',
      required.filter((name) => !columns.includes(name)),
    ),
    ...listed(
      'unknown',
      columns.filter((name) => !known.has(name)).map((name) => JSON.stringify(name)),
    ),
    ...listed('there twice', [...new Set(columns.filter((name, index) => columns.indexOf(name) < index))]),
  ];
  if (issues.length > 0) {
    throw new CommandFailure(
      `the columns of the file are not as they should be (${issues.join('; ')}); its first line must name ${[...required].join(', ')}` +
        (optional.length > 0 ? ` and may name ${optional.join(', ')}` : ''),
    );
  }
  return columns;
};

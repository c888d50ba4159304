import Table from 'cli-table3';

/** Blanks between columns and no lines, so that a table can be searched and cut as text. */
const CHARACTERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  right: '',
  'right-mid': '',
  mid: '',
  'mid-mid': '',
  middle: '  ',
} as const;

/** A table with a head and a line per row, without colours. Ends with a line feed. */
export const readableTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  align: 'left' | 'right' = 'left',
): string => {
  const table = new Table({
    head: [...head],
    chars: CHARACTERS,
    colAligns: head.map(() => align),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => [...row]));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
};

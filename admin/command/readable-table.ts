import Table from 'cli-table3';

/** The library's borders, which are omitted so that `grep` and `cut` work on the output. */
const SIDES = ['top', 'bottom', 'mid', 'left', 'right'].flatMap((side) => [side, `${side}-mid`]);
const LINES = [...SIDES, 'top-left', 'top-right', 'bottom-left', 'bottom-right'];
const CHARACTERS = { ...Object.fromEntries(LINES.map((name) => [name, ''])), middle: '  ' };

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
  const lines = table.toString().split('\n');
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
};

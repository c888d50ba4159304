import type { RowText } from '../../csv/lines.ts';
import { type Layout, rowsOf } from '../files/read-rows.ts';
import type { Row } from '../files/row.ts';

/** Rows of a vehicle kept in memory together, and their characters. More are a mistake: it has at most 20 policies. */
export const MAX_GROUP_ROWS = 1_000;
const MAX_GROUP_CHARACTERS = 4_000_000;

/** Rows with the same key, in the order of the file. A row without a key is a group of its own. */
export interface RowGroup {
  readonly key: string | undefined;
  readonly rows: readonly Row[];
  /** The line of the first row with this key. */
  readonly firstLine: number;
  /** Whether there are more rows than are kept in memory together. The group then holds only some. */
  readonly isTruncated: boolean;
}

export interface StagedRow extends RowText {
  readonly key: string;
}

/** Groups rows that come sorted by key, a page at a time. */
export const rowGroups = () => {
  let group: (RowGroup & { readonly rows: Row[] }) | undefined;
  let characters = 0;
  return {
    /** The groups that a page completes. */
    completedBy: (page: readonly StagedRow[], layout: Layout): RowGroup[] => {
      const completed: RowGroup[] = [];
      for (const [index, row] of rowsOf(page, layout).entries()) {
        const key = page[index]?.key || undefined;
        const same = key !== undefined && key === group?.key ? group : undefined;
        const { length } = page[index]?.text ?? '';
        if (same && same.rows.length < MAX_GROUP_ROWS && characters + length <= MAX_GROUP_CHARACTERS) {
          same.rows.push(row);
          characters += length;
          continue;
        }
        characters = length;
        const isTruncated = same !== undefined;
        if (group) completed.push({ ...group, isTruncated: group.isTruncated || isTruncated });
        group = { key, rows: [row], firstLine: same?.firstLine ?? row.line, isTruncated };
      }
      return completed;
    },
    last: (): RowGroup[] => (group ? [group] : []),
  };
};

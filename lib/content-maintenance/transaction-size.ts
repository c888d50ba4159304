import type { ContentFields } from '../../functions/content/item.ts';

/** DynamoDB's limits for one transaction: actions, and bytes with room left for keys and attribute names. */
const MAX_ACTIONS = 100;
const MAX_BYTES = 3_500_000;

const bytesOf = (fields: ContentFields): number =>
  Object.values(fields).reduce((sum: number, value) => sum + Buffer.byteLength(String(value)), 0);

/** Whether new items can be added in one transaction: four entries each, at most two counters per list. */
export const fitsOneTransaction = (items: readonly ContentFields[]): boolean => {
  const lists = 1 + new Set(items.map(({ domain }) => domain)).size;
  const bytes = items.reduce((sum, item) => sum + bytesOf(item), 0);
  return 4 * items.length + 2 * lists <= MAX_ACTIONS && bytes <= MAX_BYTES;
};

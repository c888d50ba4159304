import { retryUntil } from '../dynamodb/retry.ts';
import { type Deadline, DeadlineExceeded, readingDeadline } from '../runtime/deadline.ts';
import type { MemberPage } from './counted-list.ts';

/** Items of a page, and the list's total. */
export interface ItemPage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Where the items of a page come from. */
interface ListSource<Item> {
  readonly readIds: () => Promise<MemberPage>;
  /** The items that exist. */
  readonly readItems: (ids: readonly string[], deadline: Deadline) => Promise<readonly Item[]>;
  /** Whether an item still belongs in the list. */
  readonly belongs: (item: Item) => boolean;
}

/** Successive reads with the same items missing that show an inconsistent list. */
const MAX_UNCHANGED = 3;

/** Items left a list after its ids were read and before the items were. */
class ItemsLeft extends Error {
  override readonly name = 'ItemsLeft';
}

/**
 * Reads ids, then their items. Leaves out an item that moved in between, and reads again until the page is full; at the
 * deadline the page is shorter. Another read costs the ids and the missing items; pauses grow to a second, which allows
 * about 25 reads. Stops early at an inconsistency, which would otherwise delay every request for the list.
 */
export const readListedItems = async <Item extends { readonly id: string; readonly version: number }>(
  { readIds, readItems, belongs }: ListSource<Item>,
  deadline: Deadline,
): Promise<ItemPage<Item>> => {
  const readBy = readingDeadline(deadline);
  const found = new Map<string, Item>();
  let page: ItemPage<Item> | undefined;
  let lastMissing = '';
  let unchanged = 0;

  const read = async (): Promise<ItemPage<Item>> => {
    const { ids, total } = await readIds();
    const wanted = ids.filter((id) => !found.has(id));
    const movedVersions = new Map<string, number>();
    for (const item of await readItems(wanted, readBy)) {
      if (belongs(item)) found.set(item.id, item);
      else movedVersions.set(item.id, item.version);
    }
    page = { items: ids.flatMap((id) => found.get(id) ?? []), total };
    const missing = wanted.filter((id) => !found.has(id)).map((id) => `${id} ${movedVersions.get(id)}`);
    if (missing.length === 0) return page;
    unchanged = missing.join() === lastMissing ? unchanged + 1 : 1;
    lastMissing = missing.join();
    if (unchanged === MAX_UNCHANGED) return page;
    throw new ItemsLeft();
  };

  try {
    return await retryUntil(readBy, read, (error) => error instanceof ItemsLeft);
  } catch (error) {
    if (page !== undefined && error instanceof DeadlineExceeded) return page;
    throw error;
  }
};

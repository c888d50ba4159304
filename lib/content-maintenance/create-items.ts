import { ALL_ITEMS, type ContentStore, domainList } from '../../core/content/content-entries.ts';
import { contentWrites } from '../../core/content/content-writes.ts';
import type { ContentItem, StoredItem } from '../../core/content/item.ts';
import { transact } from '../../core/dynamodb/transact.ts';
import type { Deadline } from '../../core/runtime/deadline.ts';

/** New items with positions at the end of their lists, in the order of the items. */
const allocatePositions = async ({ lists }: ContentStore, items: readonly ContentItem[]): Promise<StoredItem[]> => {
  const domains = [...Map.groupBy(items, ({ domain }) => domain)];
  const [all, ...starts] = await Promise.all([
    lists.allocate(ALL_ITEMS, items.length),
    ...domains.map(([domain, { length }]) => lists.allocate(domainList(domain), length)),
  ]);
  const places = new Map(domains.flatMap(([, group], n) => group.map((item, nth) => [item, (starts[n] ?? 0) + nth])));
  return items.map((item, n) => ({ item, positions: { all: all + n, domain: places.get(item) ?? 0 } }));
};

/**
 * Adds new items, which must fit one transaction (`fitsOneTransaction`), to the end of their lists: the entries that the
 * creation of one item has, with one update of each counter.
 * False, with nothing written, when one of them or its slug exists. @throws DeadlineExceeded
 */
export const createItems = async (
  store: ContentStore,
  items: readonly ContentItem[],
  deadline: Deadline,
): Promise<boolean> => {
  const writes = contentWrites(store);
  const stored = await allocatePositions(store, items);
  const append = (list: string, group: readonly StoredItem[], positionOf: (of: StoredItem) => number) =>
    store.lists.append(
      list,
      group.map((one) => ({ id: one.item.id, position: positionOf(one) })),
    );
  const parts = [
    ...stored.map(writes.addItem),
    ...items.map(writes.claimSlug),
    ...append(ALL_ITEMS, stored, ({ positions }) => positions.all),
    ...[...Map.groupBy(stored, ({ item }) => item.domain)].flatMap(([domain, group]) =>
      append(domainList(domain), group, ({ positions }) => positions.domain),
    ),
  ];
  return (await transact(store.db, parts, deadline)).committed;
};

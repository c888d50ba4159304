/** The three changes of an item, each one transaction over the item, its slug and its lists. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { CountedLists } from '../counted-list/counted-list.ts';
import { transact } from '../dynamodb/transact.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { ALL_ITEMS, domainList, type Entry } from './content-items.ts';
import { contentWrites } from './content-writes.ts';
import type { ContentItem, StoredItem } from './item.ts';

/** The item, its slug and its lists contradict each other; only an operator's repair helps. */
export class InconsistentContent extends Error {
  override readonly name = 'InconsistentContent';
}

/** How a transaction ended: `changed` when the item was no longer, or already, there as it was expected. */
export type ChangeOutcome = 'done' | 'changed' | 'slug taken';

/** Where new items join their lists. */
export interface Positions {
  readonly of: (item: ContentItem) => StoredItem['positions'];
}

export const contentTransactions = (db: DynamoDBClient, table: string, lists: CountedLists) => {
  const writes = contentWrites(table);

  const outcomeOf = (
    failed: ReadonlyMap<TransactWriteItem, Entry>,
    item: TransactWriteItem,
    claim?: TransactWriteItem,
  ) => {
    if (failed.has(item)) return 'changed';
    if (claim && failed.has(claim)) return 'slug taken';
    throw new InconsistentContent();
  };

  return {
    /**
     * Adds new items, all or none, at the end of their lists in their order. They must fit (`fitsOneTransaction`).
     * False when one of them, or its slug, is there already. @throws DeadlineExceeded
     */
    insertMany: async (items: readonly ContentItem[], positions: Positions, deadline: Deadline): Promise<boolean> => {
      const outcome = await transact(
        db,
        [
          ...items.map((item) => writes.addItem({ item, positions: positions.of(item) })),
          ...items.map(writes.claimSlug),
          ...lists.append(
            ALL_ITEMS,
            items.map((item) => ({ id: item.id, position: positions.of(item).all })),
          ),
          ...[...Map.groupBy(items, ({ domain }) => domain)].flatMap(([domain, group]) =>
            lists.append(
              domainList(domain),
              group.map((item) => ({ id: item.id, position: positions.of(item).domain })),
            ),
          ),
        ],
        deadline,
      );
      return outcome.committed;
    },

    /** Positions for new items at the end of their lists, in their order. */
    allocate: async (items: readonly ContentItem[]): Promise<Positions> => {
      const domains = [...Map.groupBy(items, ({ domain }) => domain)];
      const [all, ...starts] = await Promise.all([
        lists.allocate(ALL_ITEMS, items.length),
        ...domains.map(([domain, group]) => lists.allocate(domainList(domain), group.length)),
      ]);
      const places = new Map(
        domains.flatMap(([, group], nth) => group.map((item, index) => [item, (starts[nth] ?? 0) + index] as const)),
      );
      return { of: (item) => ({ all: all + items.indexOf(item), domain: places.get(item) ?? 0 }) };
    },

    /**
     * Adds a new item. `guard` is one more write that must hold; when it does not, the entry that it found is returned.
     * @throws InconsistentContent
     */
    insert: async (
      item: ContentItem,
      deadline: Deadline,
      guard?: TransactWriteItem,
    ): Promise<ChangeOutcome | Entry> => {
      const { id } = item;
      const [all, domain] = await Promise.all([lists.allocate(ALL_ITEMS), lists.allocate(domainList(item.domain))]);
      const [add, claim] = [writes.addItem({ item, positions: { all, domain } }), writes.claimSlug(item)];
      const outcome = await transact(
        db,
        [
          ...(guard ? [guard] : []),
          add,
          claim,
          ...lists.append(ALL_ITEMS, [{ position: all, id }]),
          ...lists.append(domainList(item.domain), [{ position: domain, id }]),
        ],
        deadline,
      );
      if (outcome.committed) return 'done';
      return (guard && outcome.failed.get(guard)) ?? outcomeOf(outcome.failed, add, claim);
    },

    /** Puts another version in the place of the stored one, wherever its domain and slug move. @throws InconsistentContent */
    replace: async (
      { item: old, positions }: StoredItem,
      item: ContentItem,
      deadline: Deadline,
    ): Promise<ChangeOutcome> => {
      const { id } = item;
      const movesDomain = item.domain !== old.domain;
      const movesSlug = movesDomain || item.slug !== old.slug;
      const domain = movesDomain ? await lists.allocate(domainList(item.domain)) : positions.domain;
      const replace = writes.replaceItem({ item, positions: { ...positions, domain } }, old);
      const claim = writes.claimSlug(item);
      const outcome = await transact(
        db,
        [
          replace,
          ...(movesSlug ? [writes.releaseSlug(old), claim] : []),
          ...(movesDomain ? lists.remove(domainList(old.domain), positions.domain) : []),
          ...(movesDomain ? lists.append(domainList(item.domain), [{ position: domain, id }]) : []),
        ],
        deadline,
      );
      return outcome.committed ? 'done' : outcomeOf(outcome.failed, replace, claim);
    },

    /** Removes the stored version. @throws InconsistentContent */
    remove: async ({ item, positions }: StoredItem, deadline: Deadline): Promise<ChangeOutcome> => {
      const remove = writes.removeItem(item);
      const outcome = await transact(
        db,
        [
          remove,
          writes.releaseSlug(item),
          ...lists.remove(ALL_ITEMS, positions.all),
          ...lists.remove(domainList(item.domain), positions.domain),
        ],
        deadline,
      );
      return outcome.committed ? 'done' : outcomeOf(outcome.failed, remove);
    },
  };
};

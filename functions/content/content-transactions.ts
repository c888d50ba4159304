/** The changes of items, each one transaction over the items, their slugs and their lists. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { CountedLists } from '../counted-list/counted-list.ts';
import { type TransactWrite, transact } from '../dynamodb/transact.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { ALL_ITEMS, domainList, type Entry } from './content-items.ts';
import { contentWrites } from './content-writes.ts';
import { parseCreation, type RememberedCreation, type Repeatable, rememberCreation } from './idempotency.ts';
import type { ContentItem, StoredItem } from './item.ts';

/** The item, its slug and its lists are inconsistent. An operator must run `content check --repair`. */
export class InconsistentContent extends Error {
  override readonly name = 'InconsistentContent';
}

/** How a transaction ended: `changed` when another request changed, deleted or created the item meanwhile. */
export type ChangeOutcome = { readonly kind: 'done' | 'changed' | 'slug taken' };

/** `repeated` when the same creation is remembered. */
export type InsertOutcome = ChangeOutcome | { readonly kind: 'repeated'; readonly creation: RememberedCreation };

/** The positions of new items in their lists. */
export interface Positions {
  readonly of: (item: ContentItem) => StoredItem['positions'];
}

export const contentTransactions = (db: DynamoDBDocumentClient, table: string, lists: CountedLists) => {
  const writes = contentWrites(table);

  const outcomeOf = (
    failed: ReadonlyMap<TransactWrite, Entry>,
    item: TransactWrite,
    claim?: TransactWrite,
  ): ChangeOutcome => {
    if (failed.has(item)) return { kind: 'changed' };
    if (claim && failed.has(claim)) return { kind: 'slug taken' };
    throw new InconsistentContent();
  };

  return {
    /**
     * Adds new items in one transaction, which they must fit (`fitsOneTransaction`).
     * False, with nothing written, when one of them or its slug exists. @throws DeadlineExceeded
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

    /** Adds a new item, unless it is `repeatable` and was added before. @throws InconsistentContent, UnreadableContentEntry */
    insert: async (item: ContentItem, deadline: Deadline, repeatable?: Repeatable): Promise<InsertOutcome> => {
      const { id } = item;
      const [all, domain] = await Promise.all([lists.allocate(ALL_ITEMS), lists.allocate(domainList(item.domain))]);
      const remember = repeatable && rememberCreation(table, repeatable, item);
      const [add, claim] = [writes.addItem({ item, positions: { all, domain } }), writes.claimSlug(item)];
      const outcome = await transact(
        db,
        [
          ...(remember ? [remember] : []),
          add,
          claim,
          ...lists.append(ALL_ITEMS, [{ position: all, id }]),
          ...lists.append(domainList(item.domain), [{ position: domain, id }]),
        ],
        deadline,
      );
      if (outcome.committed) return { kind: 'done' };
      const remembered = remember && outcome.failed.get(remember);
      return remembered
        ? { kind: 'repeated', creation: parseCreation(remembered) }
        : outcomeOf(outcome.failed, add, claim);
    },

    /** Replaces the stored version, also when its domain or slug changes. @throws InconsistentContent */
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
      return outcome.committed ? { kind: 'done' } : outcomeOf(outcome.failed, replace, claim);
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
      return outcome.committed ? { kind: 'done' } : outcomeOf(outcome.failed, remove);
    },
  };
};

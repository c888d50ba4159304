/** The changes of items, each one transaction over the items, their slugs and their lists. */
import { type TransactWrite, transact } from '../dynamodb/transact.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { ALL_ITEMS, domainList, type Entry } from './content-entries.ts';
import type { ContentStore } from './content-store.ts';
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

export const contentTransactions = (store: ContentStore) => {
  const { db, lists } = store;
  const writes = contentWrites(store);

  const outcomeOf = (
    failed: ReadonlyMap<TransactWrite, Entry>,
    items: readonly TransactWrite[],
    claims: readonly TransactWrite[] = [],
  ): ChangeOutcome => {
    if (items.some((item) => failed.has(item))) return { kind: 'changed' };
    if (claims.some((claim) => failed.has(claim))) return { kind: 'slug taken' };
    throw new InconsistentContent();
  };

  /** New items with positions at the end of their lists, in the order of the items. */
  const allocatePositions = async (items: readonly ContentItem[]): Promise<StoredItem[]> => {
    const domains = [...Map.groupBy(items, ({ domain }) => domain)];
    const [all, ...starts] = await Promise.all([
      lists.allocate(ALL_ITEMS, items.length),
      ...domains.map(([domain, { length }]) => lists.allocate(domainList(domain), length)),
    ]);
    const places = new Map(domains.flatMap(([, group], n) => group.map((item, nth) => [item, (starts[n] ?? 0) + nth])));
    return items.map((item, n) => ({ item, positions: { all: all + n, domain: places.get(item) ?? 0 } }));
  };

  const append = (list: string, stored: readonly StoredItem[], positionOf: (of: StoredItem) => number) =>
    lists.append(
      list,
      stored.map((one) => ({ id: one.item.id, position: positionOf(one) })),
    );

  /** Adds items, their slug claims and their members in one transaction, after a `condition` where there is one. */
  const addAll = async (items: readonly ContentItem[], deadline: Deadline, ...condition: TransactWrite[]) => {
    const stored = await allocatePositions(items);
    const [adds, claims] = [stored.map(writes.addItem), items.map(writes.claimSlug)];
    const members = [...Map.groupBy(stored, ({ item }) => item.domain)].flatMap(([domain, group]) =>
      append(domainList(domain), group, ({ positions }) => positions.domain),
    );
    const all = append(ALL_ITEMS, stored, ({ positions }) => positions.all);
    return {
      adds,
      claims,
      outcome: await transact(db, [...condition, ...adds, ...claims, ...all, ...members], deadline),
    };
  };

  return {
    /**
     * Adds new items, which must fit one transaction (`fitsOneTransaction`), to the end of their lists.
     * False, with nothing written, when one of them or its slug exists. @throws DeadlineExceeded
     */
    insertMany: async (items: readonly ContentItem[], deadline: Deadline): Promise<boolean> =>
      (await addAll(items, deadline)).outcome.committed,

    /** Adds a new item, unless it is `repeatable` and was added before. @throws InconsistentContent, UnreadableRecord */
    insert: async (item: ContentItem, deadline: Deadline, repeatable?: Repeatable): Promise<InsertOutcome> => {
      const remember = repeatable && rememberCreation(store, repeatable, item);
      const { outcome, adds, claims } = await addAll([item], deadline, ...(remember ? [remember] : []));
      if (outcome.committed) return { kind: 'done' };
      const remembered = remember && outcome.failed.get(remember);
      return remembered
        ? { kind: 'repeated', creation: parseCreation(remembered) }
        : outcomeOf(outcome.failed, adds, claims);
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
      return outcome.committed ? { kind: 'done' } : outcomeOf(outcome.failed, [replace], [claim]);
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
      return outcome.committed ? { kind: 'done' } : outcomeOf(outcome.failed, [remove]);
    },
  };
};

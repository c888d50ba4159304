import type { Member } from '../counted-list/counted-list.ts';
import type { DynamoItem } from '../dynamodb/database.ts';
import { type TransactWrite, transact } from '../dynamodb/transact.ts';
import type { Deadline } from '../runtime/deadline.ts';
import {
  ALL_ITEMS,
  type ContentStore,
  domainList,
  hashBody,
  type IdempotencyRecord,
  type IdempotentCreation,
  parseIdempotencyRecord,
  type SlugClaim,
} from './content-store.ts';
import type { ContentItem, StoredItem } from './item.ts';

const toAttributes = ({ item, positions }: StoredItem): DynamoItem => ({
  ...item,
  allPosition: positions.all,
  domainPosition: positions.domain,
});

/** Fails when the stored item is not the version that was read. */
const ifUnchanged = ({ version }: ContentItem) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': version },
});

/** The single writes of which every content transaction is composed. */
export const contentWrites = ({ table, keys: { itemKey, slugKey } }: Pick<ContentStore, 'table' | 'keys'>) => ({
  addItem: (stored: StoredItem): TransactWrite => ({
    Put: {
      TableName: table,
      Item: { ...toAttributes(stored), ...itemKey(stored.item.id) },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  }),

  replaceItem: (stored: StoredItem, read: ContentItem): TransactWrite => ({
    Put: {
      TableName: table,
      Item: { ...toAttributes(stored), ...itemKey(stored.item.id) },
      ...ifUnchanged(read),
    },
  }),

  removeItem: (read: ContentItem): TransactWrite => ({
    Delete: { TableName: table, Key: itemKey(read.id), ...ifUnchanged(read) },
  }),

  /** Fails when another item of the domain has claimed the slug. */
  claimSlug: ({ domain, slug, id }: SlugClaim) => ({
    Put: {
      TableName: table,
      Item: { ...slugKey(domain, slug), id },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  }),

  releaseSlug: ({ domain, slug, id }: SlugClaim) => ({
    Delete: {
      TableName: table,
      Key: slugKey(domain, slug),
      ConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': id },
    },
  }),
});

/** The position of each of these members by its id. @throws Error for another id: at a guessed position it would replace a member */
const positionFinder = (members: readonly Member[]) => {
  const positions = new Map(members.map(({ id, position }) => [id, position]));
  return (id: string): number => {
    const position = positions.get(id);
    if (position === undefined) throw new Error('An item has no position in its list.');
    return position;
  };
};

/**
 * The writes that add new items to the end of their lists, in their order: the items, then their slugs, then their members with
 * one update of each counter.
 */
export const creationWrites = async (
  store: ContentStore,
  items: readonly ContentItem[],
): Promise<readonly TransactWrite[]> => {
  const writes = contentWrites(store);
  const append = async ([list, added]: readonly [string, readonly ContentItem[]]) => {
    const first = await store.lists.allocate(list, added.length);
    return { list, members: added.map(({ id }, index) => ({ id, position: first + index })) };
  };
  const byDomain = Map.groupBy(items, ({ domain }) => domainList(domain));
  const [all, ...domains] = await Promise.all([append([ALL_ITEMS, items]), ...[...byDomain].map(append)]);
  const inAll = positionFinder(all.members);
  const inDomain = positionFinder(domains.flatMap(({ members }) => members));
  return [
    ...items.map((item) => writes.addItem({ item, positions: { all: inAll(item.id), domain: inDomain(item.id) } })),
    ...items.map(writes.claimSlug),
    ...[all, ...domains].flatMap(({ list, members }) => store.lists.append(list, members)),
  ];
};

const IDEMPOTENCY_SECONDS = 24 * 60 * 60;

/** Fails, and returns the stored record, when there is one that has not expired. */
const putIdempotencyRecord = (table: string, key: DynamoItem, item: ContentItem): TransactWrite => {
  const now = Math.floor(Date.parse(item.created_at) / 1_000);
  return {
    Put: {
      TableName: table,
      Item: {
        ...key,
        bodyHash: hashBody(item),
        id: item.id,
        createdAt: item.created_at,
        expiresAt: now + IDEMPOTENCY_SECONDS,
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': now },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
};

/** The item, its slug and its lists are inconsistent. An operator must run `content check --repair`. */
export class InconsistentContent extends Error {
  override readonly name = 'InconsistentContent';
}

/** How a transaction ended: `changed` when another request changed, deleted or created the item meanwhile. */
export type ChangeOutcome = { readonly kind: 'done' | 'changed' | 'slug taken' };

/** `repeated` when the creation has an idempotency record. */
export type InsertOutcome = ChangeOutcome | { readonly kind: 'repeated'; readonly record: IdempotencyRecord };

/** The changes of items, each one transaction over the item, its slug and its lists. */
export const contentTransactions = (store: ContentStore) => {
  const { db, table, keys, lists } = store;
  const writes = contentWrites(store);

  /** By the conditions that failed. Any other than these two fails only where content is inconsistent. */
  const toOutcome = (
    failed: ReadonlyMap<TransactWrite, DynamoItem>,
    { item, claim }: { readonly item?: TransactWrite | undefined; readonly claim?: TransactWrite | undefined },
  ): ChangeOutcome => {
    if (item && failed.has(item)) return { kind: 'changed' };
    if (claim && failed.has(claim)) return { kind: 'slug taken' };
    throw new InconsistentContent();
  };

  return {
    /** Adds a new item, unless the same creation was done before. @throws InconsistentContent, UnreadableRecord */
    insert: async (item: ContentItem, deadline: Deadline, idempotency?: IdempotentCreation): Promise<InsertOutcome> => {
      const creation = await creationWrites(store, [item]);
      // Of one item: first the item itself, then its slug.
      const [add, claim] = creation;
      const putRecord = idempotency && putIdempotencyRecord(table, keys.idempotencyRecordKey(idempotency), item);
      const outcome = await transact(db, [...(putRecord ? [putRecord] : []), ...creation], deadline);
      if (outcome.committed) return { kind: 'done' };
      const stored = putRecord && outcome.failed.get(putRecord);
      return stored
        ? { kind: 'repeated', record: parseIdempotencyRecord(stored) }
        : toOutcome(outcome.failed, { item: add, claim });
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
      return outcome.committed ? { kind: 'done' } : toOutcome(outcome.failed, { item: replace, claim });
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
      return outcome.committed ? { kind: 'done' } : toOutcome(outcome.failed, { item: remove });
    },
  };
};

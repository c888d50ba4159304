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

const IF_ABSENT = { ConditionExpression: 'attribute_not_exists(pk)' };

/** Fails when the stored item is not the version that was read. */
const ifUnchanged = ({ version }: ContentItem) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': version },
});

/** The single writes in content transactions. */
export const contentWrites = ({ table, keys: { itemKey, slugKey } }: Pick<ContentStore, 'table' | 'keys'>) => ({
  /** Adds an item, or replaces the version that was read. */
  putItem: (stored: StoredItem, read?: ContentItem): TransactWrite => ({
    Put: {
      TableName: table,
      Item: { ...toAttributes(stored), ...itemKey(stored.item.id) },
      ...(read ? ifUnchanged(read) : IF_ABSENT),
    },
  }),

  removeItem: (read: ContentItem): TransactWrite => ({
    Delete: { TableName: table, Key: itemKey(read.id), ...ifUnchanged(read) },
  }),

  /** Fails when another item of the domain has claimed the slug. */
  claimSlug: ({ domain, slug, id }: SlugClaim) => ({
    Put: { TableName: table, Item: { ...slugKey(domain, slug), id }, ...IF_ABSENT },
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

/** @throws Error for an id that is no member: at a guessed position it would replace another one */
const positionOf = (id: string, members: readonly Member[]): number => {
  const member = members.find((one) => one.id === id);
  if (member === undefined) throw new Error('An item has no position in its list.');
  return member.position;
};

/** The writes of new items, which are appended to their lists in order. */
interface CreationWrites {
  readonly items: readonly TransactWrite[];
  readonly claims: readonly TransactWrite[];
  /** Members and counters of lists. */
  readonly lists: readonly TransactWrite[];
}

/** Gives new items their positions. */
export const creationWrites = async (store: ContentStore, items: readonly ContentItem[]): Promise<CreationWrites> => {
  const writes = contentWrites(store);
  const allocate = async ([list, added]: readonly [string, readonly ContentItem[]]) => {
    const first = await store.lists.allocate(list, added.length);
    return { list, members: added.map(({ id }, index) => ({ id, position: first + index })) };
  };
  const byDomain = Map.groupBy(items, ({ domain }) => domainList(domain));
  const [all, ...domains] = await Promise.all([allocate([ALL_ITEMS, items]), ...[...byDomain].map(allocate)]);
  const inDomains = domains.flatMap(({ members }) => members);
  const toStored = (item: ContentItem): StoredItem => ({
    item,
    positions: { all: positionOf(item.id, all.members), domain: positionOf(item.id, inDomains) },
  });
  return {
    items: items.map((item) => writes.putItem(toStored(item))),
    claims: items.map(writes.claimSlug),
    lists: [all, ...domains].flatMap(({ list, members }) => store.lists.append(list, members)),
  };
};

const IDEMPOTENCY_SECONDS = 24 * 60 * 60;

/** Fails and returns the stored record if one exists that has not expired. */
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
class InconsistentContent extends Error {
  override readonly name = 'InconsistentContent';
}

/**
 * How a change ended. `changed`: another request changed, deleted or created the item meanwhile. `repeated`: the
 * creation has an idempotency record.
 */
export type ChangeOutcome =
  | { readonly kind: 'done' | 'changed' | 'slug taken' }
  | { readonly kind: 'repeated'; readonly record: IdempotencyRecord };

/** The writes of a change. Conditions of `others` fail only where content is inconsistent. */
interface ChangeWrites {
  readonly record?: TransactWrite | undefined;
  readonly item: TransactWrite | undefined;
  readonly claim?: TransactWrite | undefined;
  readonly others: readonly TransactWrite[];
}

/** The changes of items, each one transaction over the item, its slug and its lists. */
export const contentTransactions = (store: ContentStore) => {
  const { db, table, keys, lists } = store;
  const writes = contentWrites(store);

  const commit = async ({ record, item, claim, others }: ChangeWrites, deadline: Deadline): Promise<ChangeOutcome> => {
    const all = [record, item, claim, ...others].filter((write) => write !== undefined);
    const outcome = await transact(db, all, deadline);
    if (outcome.committed) return { kind: 'done' };
    const stored = record && outcome.failed.get(record);
    if (stored) return { kind: 'repeated', record: parseIdempotencyRecord(stored) };
    if (item && outcome.failed.has(item)) return { kind: 'changed' };
    if (claim && outcome.failed.has(claim)) return { kind: 'slug taken' };
    throw new InconsistentContent();
  };

  return {
    /** Adds a new item, unless the same creation was done before. @throws InconsistentContent, UnreadableRecord */
    insert: async (
      added: ContentItem,
      deadline: Deadline,
      idempotency?: IdempotentCreation,
    ): Promise<ChangeOutcome> => {
      const { items, claims, lists } = await creationWrites(store, [added]);
      const record = idempotency && putIdempotencyRecord(table, keys.idempotencyRecordKey(idempotency), added);
      return commit({ record, item: items[0], claim: claims[0], others: lists }, deadline);
    },

    /** Replaces the stored version. Its domain and slug may change. @throws InconsistentContent */
    replace: async (
      { item: old, positions }: StoredItem,
      item: ContentItem,
      deadline: Deadline,
    ): Promise<ChangeOutcome> => {
      const { id } = item;
      const movesDomain = item.domain !== old.domain;
      const movesSlug = movesDomain || item.slug !== old.slug;
      const domain = movesDomain ? await lists.allocate(domainList(item.domain)) : positions.domain;
      const replacement = writes.putItem({ item, positions: { ...positions, domain } }, old);
      const others = [
        ...(movesSlug ? [writes.releaseSlug(old)] : []),
        ...(movesDomain ? lists.remove(domainList(old.domain), positions.domain) : []),
        ...(movesDomain ? lists.append(domainList(item.domain), [{ position: domain, id }]) : []),
      ];
      return commit({ item: replacement, claim: movesSlug ? writes.claimSlug(item) : undefined, others }, deadline);
    },

    /** Removes the stored version. @throws InconsistentContent */
    remove: ({ item, positions }: StoredItem, deadline: Deadline): Promise<ChangeOutcome> => {
      const others = [
        writes.releaseSlug(item),
        ...lists.remove(ALL_ITEMS, positions.all),
        ...lists.remove(domainList(item.domain), positions.domain),
      ];
      return commit({ item: writes.removeItem(item), others }, deadline);
    },
  };
};

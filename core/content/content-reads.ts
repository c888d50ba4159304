import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../dynamodb/batch-get.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { ALL_ITEMS, domainList, type Entry, parseItem } from './content-entries.ts';
import type { ContentStore } from './content-store.ts';
import { type ContentItem, isContentId, type StoredItem } from './item.ts';

/** Which items: all, those of a domain, or the one with a slug of a domain. */
export interface ContentFilter {
  readonly domain?: string;
  readonly slug?: string;
}

export interface ItemPage {
  readonly items: readonly ContentItem[];
  readonly total: number;
}

/** Attempts to read a list or slug and then its items, when items change in between. */
const MAX_READS = 3;

const claimantOf = ({ id }: Entry): string | undefined => (typeof id === 'string' ? id : undefined);

/** Reads of the content table. All are strongly consistent. */
export const contentReads = ({ db, table, keys, lists }: ContentStore) => {
  const find = async (id: string): Promise<StoredItem | undefined> => {
    if (!isContentId(id)) return undefined;
    const { Item } = await db.send(new GetCommand({ TableName: table, Key: keys.itemKey(id), ConsistentRead: true }));
    return Item && parseItem(Item);
  };

  /** Reads the slug's claim, then that item; both again when the item's slug changed in between. */
  const findBySlug = async (domain: string, slug: string): Promise<ContentItem | undefined> => {
    for (let read = 1; read <= MAX_READS; read += 1) {
      const { Item } = await db.send(
        new GetCommand({ TableName: table, Key: keys.slugKey(domain, slug), ConsistentRead: true }),
      );
      const id = Item && claimantOf(Item);
      if (id === undefined) return undefined;
      const item = (await find(id))?.item;
      if (item?.domain === domain && item.slug === slug) return item;
    }
    return undefined;
  };

  /** @throws the error because of which some could not be read: those must not count as missing */
  const findEntries = async (wanted: readonly Entry[], deadline: Deadline): Promise<readonly Entry[]> => {
    const { items, failure } = await batchGet(db, [{ table, keys: wanted, consistent: true }], deadline);
    if (failure !== undefined) throw failure;
    return items.get(table) ?? [];
  };

  const findMany = async (ids: readonly string[], deadline: Deadline): Promise<StoredItem[]> => {
    const found = await findEntries(ids.map(keys.itemKey), deadline);
    const byId = new Map(found.map(parseItem).map((stored) => [stored.item.id, stored]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  };

  const page = async (list: string, offset: number, limit: number, deadline: Deadline): Promise<ItemPage> => {
    for (let read = 1; ; read += 1) {
      const { ids, total } = await deadline.within(lists.page(list, offset, limit));
      const items = (await findMany(ids, deadline)).map(({ item }) => item);
      if (items.length === ids.length || read === MAX_READS) return { items, total };
    }
  };

  return {
    find,

    /** The items that exist, in the order of their ids. @throws the error because of which one could not be read */
    findMany,

    /** The ids of the items that have these slugs. @throws the error because of which one could not be read */
    findIdsBySlug: async (
      slugs: readonly Pick<ContentItem, 'domain' | 'slug'>[],
      deadline: Deadline,
    ): Promise<string[]> => {
      const claims = await findEntries(
        slugs.map(({ domain, slug }) => keys.slugKey(domain, slug)),
        deadline,
      );
      return claims.flatMap((claim) => claimantOf(claim) ?? []);
    },

    /** Newest in the list first; an offset past the end is an empty page. */
    list: async (
      { domain, slug }: ContentFilter,
      { offset, limit }: { offset: number; limit: number },
      deadline: Deadline,
    ): Promise<ItemPage> => {
      if (domain === undefined) return page(ALL_ITEMS, offset, limit, deadline);
      if (slug === undefined) return page(domainList(domain), offset, limit, deadline);
      const item = await findBySlug(domain, slug);
      const matching = item ? [item] : [];
      return { items: matching.slice(offset, offset + limit), total: matching.length };
    },
  };
};

import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { MemberPage } from '../counted-list/counted-list.ts';
import { batchGet } from '../dynamodb/batch-get.ts';
import { retryUntil } from '../dynamodb/retry.ts';
import { type Deadline, DeadlineExceeded, deadlineIn } from '../runtime/deadline.ts';
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

/** Milliseconds before the deadline at which reading ends, so that what was read is still answered. */
const MARGIN_MS = 100;
/** Readings that find the same ids without their items: so much the same is no movement but an inconsistency. */
const MAX_UNCHANGED = 3;

/** Items left a list between the reading of its ids and that of the items. */
class ItemsLeft extends Error {
  override readonly name = 'ItemsLeft';
}

const claimantOf = ({ id }: Entry): string | undefined => (typeof id === 'string' ? id : undefined);

/** Reads of the content table. All are strongly consistent. */
export const contentReads = ({ db, table, keys, lists }: ContentStore) => {
  const find = async (id: string): Promise<StoredItem | undefined> => {
    if (!isContentId(id)) return undefined;
    const { Item } = await db.send(new GetCommand({ TableName: table, Key: keys.itemKey(id), ConsistentRead: true }));
    return Item && parseItem(Item);
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

  const findClaimant = async (domain: string, slug: string): Promise<MemberPage> => {
    const { Item } = await db.send(
      new GetCommand({ TableName: table, Key: keys.slugKey(domain, slug), ConsistentRead: true }),
    );
    const id = Item && claimantOf(Item);
    return id === undefined ? { ids: [], total: 0 } : { ids: [id], total: 1 };
  };

  /**
   * Reads ids, then their items. An item that does not belong where its id was read has moved in between: it is never
   * shown, and both are read again until the page is full or, at the deadline, shorter. Reading again costs the ids and
   * only the items that were not found before, and the pauses grow to a second, so a request reads at most about 25
   * times. An inconsistency, which would last until the deadline in every list, is given up earlier.
   */
  const findBelonging = async (
    readIds: () => Promise<MemberPage>,
    belongs: (item: ContentItem) => boolean,
    deadline: Deadline,
  ): Promise<ItemPage> => {
    const readBy = deadlineIn(deadline.remainingMs() - MARGIN_MS);
    const found = new Map<string, ContentItem>();
    let page: ItemPage | undefined;
    let [lastMissing, unchanged] = ['', 0];

    const read = async (): Promise<ItemPage> => {
      const { ids, total } = await readIds();
      const wanted = ids.filter((id) => !found.has(id));
      const movedVersions = new Map<string, number>();
      for (const { item } of await findMany(wanted, readBy)) {
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
      const readPage = (name: string) => () => lists.page(name, offset, limit);
      if (domain === undefined) return findBelonging(readPage(ALL_ITEMS), () => true, deadline);
      const isOfDomain = (item: ContentItem) => item.domain === domain;
      if (slug === undefined) return findBelonging(readPage(domainList(domain)), isOfDomain, deadline);
      const { items } = await findBelonging(
        () => findClaimant(domain, slug),
        (item) => isOfDomain(item) && item.slug === slug,
        deadline,
      );
      return { items: items.slice(offset, offset + limit), total: items.length };
    },
  };
};

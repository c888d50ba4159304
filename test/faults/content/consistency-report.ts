import { isDeepStrictEqual } from 'node:util';
import type { ContentItem } from '../../../functions/content/item.ts';
import { contentCheck } from '../../../lib/content-maintenance/content-check.ts';
import type { TestApi } from '../../support/api.ts';
import type { ItemHistory } from './item-scenarios.ts';

/** The largest page of a list. */
const PAGE = 100;
/** Items asked for by id at a time. */
const AT_ONCE = 16;

interface Page {
  readonly items: readonly ContentItem[];
  readonly total: number;
}

/** What the API returns once the faults have ended, compared with what was acknowledged. */
export interface ConsistencyReport {
  /** Items whose last change was acknowledged and was not their deletion. */
  readonly acknowledged: number;
  readonly missing: readonly ContentItem[];
  /** Entries of items that are listed more than once. */
  readonly duplicates: number;
  /** Not as they were last acknowledged. */
  readonly different: readonly ContentItem[];
  /** Ids that are listed and were never acknowledged. */
  readonly unknown: readonly string[];
  readonly deleted: number;
  /** Deleted, and still readable. */
  readonly notDeleted: number;
  /** Lists whose total is not the number of their items. */
  readonly miscounted: readonly string[];
  /** Of `content check`. */
  readonly inconsistencies: readonly object[];
}

const readerOf = async ({ newKey, call }: TestApi) => {
  const get = async (path: string, key: string) => call('GET', `/v1/api/content${path}`, { key });
  let key = await newKey();
  let requests = 0;
  return async (path: string) => {
    // The clock is stopped, and so the rate limit's window: a new key before the old one has used it up.
    requests += 1;
    if (requests % 5_000 === 0) key = await newKey();
    return get(path, key);
  };
};

type Get = Awaited<ReturnType<typeof readerOf>>;

const listAll = async (get: Get, filter: string): Promise<Page> => {
  const items: ContentItem[] = [];
  for (;;) {
    const page = (await get(`?limit=${PAGE}&offset=${items.length}${filter}`)).body as Page;
    items.push(...page.items);
    if (page.items.length < PAGE) return { items, total: page.total };
  }
};

const miscountedLists = async (get: Get, all: Page): Promise<string[]> => {
  const wrong = all.total === all.items.length ? [] : ['all'];
  for (const [domain, items] of Map.groupBy(all.items, (item) => item.domain)) {
    const { total, items: listed } = await listAll(get, `&domain=${domain}`);
    if (total !== items.length || listed.length !== total) wrong.push(domain);
  }
  return wrong;
};

/** How many of the ids still lead to an item. */
const readable = async (get: Get, ids: readonly string[]): Promise<number> => {
  let found = 0;
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const replies = await Promise.all(ids.slice(start, start + AT_ONCE).map((id) => get(`/${id}`)));
    found += replies.filter(({ status }) => status !== 404).length;
  }
  return found;
};

export const reportConsistency = async (
  api: TestApi,
  histories: readonly ItemHistory[],
): Promise<ConsistencyReport> => {
  const get = await readerOf(api);
  const all = await listAll(get, '');
  const byId = Map.groupBy(all.items, ({ id }) => id);
  const living = histories.flatMap(({ item }) => item ?? []);
  const known = new Set(living.map(({ id }) => id));
  const deleted = histories.flatMap((history) => history.deleted);
  const { inconsistencies } = await contentCheck(api.engine.client, api.engine.names.content).check();
  const found = living.map((item) => ({ item, listed: byId.get(item.id)?.[0] }));
  return {
    acknowledged: living.length,
    missing: found.flatMap(({ item, listed }) => (listed === undefined ? item : [])),
    duplicates: all.items.length - byId.size,
    different: found.flatMap(({ item, listed }) => (listed && !isDeepStrictEqual(listed, item) ? listed : [])),
    unknown: [...byId.keys()].filter((id) => !known.has(id)),
    deleted: deleted.length,
    notDeleted: await readable(get, deleted),
    miscounted: await miscountedLists(get, all),
    inconsistencies,
  };
};

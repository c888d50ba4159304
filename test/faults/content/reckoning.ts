import { isDeepStrictEqual } from 'node:util';
import type { ContentItem } from '../../../functions/content/item.ts';
import { contentCheck } from '../../../lib/content-maintenance/content-check.ts';
import type { TestApi } from '../../support/api.ts';
import type { Life } from './item-life.ts';

/** The largest page of a list. */
const PAGE = 100;
/** Items asked for by id at a time. */
const AT_ONCE = 16;

interface Page {
  readonly items: readonly ContentItem[];
  readonly total: number;
}

/** What the API shows once the faults have ended, held against what was acknowledged. */
export interface Reckoning {
  /** Items whose last change was acknowledged and was not their deletion. */
  readonly acknowledged: number;
  readonly missing: number;
  /** Listed more than once. */
  readonly doubled: number;
  /** Not as they were last acknowledged. */
  readonly different: number;
  /** Listed, though nobody was told that they exist. */
  readonly unasked: number;
  readonly deleted: number;
  /** Deleted, and still listed or readable. */
  readonly undead: number;
  /** Lists whose total is not the number of their items. */
  readonly miscounted: readonly string[];
  /** What `content check` finds. */
  readonly inconsistent: number;
}

const readerOf = async ({ newKey, call }: TestApi) => {
  const get = async (path: string, key: string) => call('GET', `/v1/api/content${path}`, { key });
  let key = await newKey();
  let requests = 0;
  return async (path: string) => {
    // A plan's window stands still with the clock: a new key before the old one has used it up.
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

export const reckon = async (api: TestApi, lives: readonly Life[]): Promise<Reckoning> => {
  const get = await readerOf(api);
  const all = await listAll(get, '');
  const byId = Map.groupBy(all.items, ({ id }) => id);
  const living = lives.flatMap(({ item }) => item ?? []);
  const known = new Set(living.map(({ id }) => id));
  const deleted = lives.flatMap((life) => life.deleted);
  const { inconsistencies } = await contentCheck(api.engine.client, api.engine.names.content).check();
  const found = living.map((item) => ({ item, listed: byId.get(item.id)?.[0] }));
  return {
    acknowledged: living.length,
    missing: found.filter(({ listed }) => listed === undefined).length,
    doubled: all.items.length - byId.size,
    different: found.filter(({ item, listed }) => listed && !isDeepStrictEqual(listed, item)).length,
    unasked: [...byId.keys()].filter((id) => !known.has(id)).length,
    deleted: deleted.length,
    undead: await readable(get, deleted),
    miscounted: await miscountedLists(get, all),
    inconsistent: inconsistencies.length,
  };
};

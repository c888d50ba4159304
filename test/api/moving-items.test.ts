import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentKeys } from '../../core/content/content-entries.ts';
import { contentTable } from '../../core/content/content-table.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { fillDomain, moment, someFields } from '../support/content.ts';
import { clientOf, type TestEngine } from '../support/engine.ts';
import { testApi } from '../support/test-api.ts';

const PATH = '/v1/api/content';
const OTHER = 'other.example';

interface Page {
  readonly items: readonly ContentItem[];
  readonly total: number;
}

const api = testApi();
const content = (db = api.engine.client) => contentTable(db, api.engine.names.content, 'live');

/** A client that calls `beforeRead` before each read: of ids with 'QueryCommand', of their items with 'BatchGetItemCommand'. */
let observed: TestEngine['client'];
let beforeRead: (command: string) => Promise<unknown>;
beforeAll(() => {
  observed = clientOf(api.engine.endpoint);
  observed.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        await beforeRead(commandName);
        return next(args);
      },
    { step: 'initialize' },
  );
});
afterAll(() => observed.destroy());

const create = (domain: string, slug: string) => content().create(someFields(domain, slug), undefined, moment());
const change = ({ id }: ContentItem, fields: Partial<ContentItem>) => content().update(id, fields, undefined, moment());

/** The slugs and the total of the first two of a list, and how often their items were read. */
const listWhile = async (
  filter: { domain: string; slug?: string },
  others: { beforeIds?: () => Promise<unknown>; beforeItems: (reading: number) => Promise<unknown> },
  milliseconds?: number,
) => {
  let readings = 0;
  beforeRead = async (command) => {
    if (command !== 'BatchGetItemCommand') return others.beforeIds?.();
    readings += 1;
    return others.beforeItems(readings);
  };
  const bounds = { offset: 0, limit: 2 };
  const { items, total } = await content(observed).list(filter, bounds, moment(milliseconds).deadline);
  return { slugs: items.map(({ slug }) => slug), total, readings };
};

describe('A list from which items leave after their ids were read', () => {
  it('shows the next item of its domain instead of one that moved to another', async () => {
    const domain = 'moved.example';
    const [, , newest] = [await create(domain, 'a'), await create(domain, 'b'), await create(domain, 'c')];
    const beforeItems = async (reading: number) => reading === 1 && change(newest, { domain: OTHER });
    expect(await listWhile({ domain }, { beforeItems })).toEqual({ slugs: ['b', 'a'], total: 2, readings: 2 });
  });

  it('is shorter when an item leaves during every read until the deadline', async () => {
    const domain = 'moving.example';
    const [, restless] = [await create(domain, 'stays'), await create(domain, 'moves')];
    const beforeIds = () => change(restless, { domain });
    const beforeItems = () => change(restless, { domain: OTHER });
    const { slugs, total, readings } = await listWhile({ domain }, { beforeIds, beforeItems }, 1_000);
    expect([slugs, total]).toEqual([['stays'], 2]);
    expect(readings).toBeGreaterThan(3);
  });

  it('does not list an item under its former slug', async () => {
    const domain = 'renamed.example';
    const item = await create(domain, 'old');
    const beforeItems = async (reading: number) => reading === 1 && change(item, { slug: 'new' });
    const filter = { domain, slug: 'old' };
    expect(await listWhile(filter, { beforeItems })).toEqual({ slugs: [], total: 0, readings: 1 });
  });

  it('is read three times when a member has no item, which is an inconsistency', async () => {
    const domain = 'damaged.example';
    const [{ id }] = [await create(domain, 'lost'), await create(domain, 'kept')];
    const Key = contentKeys('live').itemKey(id);
    await api.engine.client.send(new DeleteCommand({ TableName: api.engine.names.content, Key }));
    const beforeItems = async () => undefined;
    expect(await listWhile({ domain }, { beforeItems })).toEqual({ slugs: ['kept'], total: 2, readings: 3 });
  });
});

describe('Lists of a domain while 20 items move between it and another one', () => {
  const OURS = 'ours.example';
  const ITEMS = 20;
  const ROUNDS = 10;

  it('show only items of that domain as they were written there, to a bound and an unbound key', async () => {
    await fillDomain(api.engine.client, api.engine.names.content, OURS, ITEMS);
    const bound = await api.newKey({ domains: [OURS] });
    const list = async (key: string, query: string): Promise<Page> =>
      (await api.call('GET', `${PATH}?${query}`, { key })).body as Page;
    const { items } = await list(bound, '');
    let isOver = false;
    const moveInTurns = async (moved: readonly ContentItem[]) => {
      for (let domain = OTHER; !isOver; domain = domain === OURS ? OTHER : OURS) {
        for (const item of moved) await change(item, { domain, content: `Text of ${domain}` });
      }
    };
    const movers = [moveInTurns(items.slice(0, 10)), moveInTurns(items.slice(10))];
    const pages: Page[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const requests = [list(bound, ''), list(api.key, `domain=${OURS}`), list(bound, `slug=item-3&domain=${OURS}`)];
      pages.push(...(await Promise.all(requests)));
    }
    isOver = true;
    await Promise.all(movers);
    const shown = new Set(pages.flatMap((page) => page.items.map(({ domain, content: text }) => `${domain}: ${text}`)));
    expect([...shown].filter((item) => item.includes(OTHER))).toEqual([]);
    expect(pages.every((page) => page.total >= page.items.length)).toBe(true);
  });
});

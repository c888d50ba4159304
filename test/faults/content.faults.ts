import { expect, it } from '@jest/globals';
import type { ContentItem } from '../../core/content/item.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import { contentExport } from '../../lib/content-maintenance/content-export.ts';
import type { Call, Reply } from '../support/api.ts';
import { someFields } from '../support/content.ts';
import { FAULTS, withProbability } from '../support/fault-choosers.ts';
import { testApi } from '../support/test-api.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

/** In the long run more than a bucket of 512 for each of the seven lists. */
const ITEMS = bySize(120, 4_000);
const CLIENTS = 16;
/** Lists that all clients share, so that they write the same counters. */
const DOMAINS = 7;
const SEED = 20_260_615;
/** Of all database requests, with faults of every kind; one that does not apply to its request does nothing. */
const FAULT_SHARE = 0.2;
/** Every so many acknowledged changes are treated as lost, and sent again. */
const LOST_EVERY = 10;
const CONTENT = '/v1/api/content';

const api = testApi();

let acknowledged = 0;
/** Repeats a request until it is acknowledged or rejected; `isRepeated`: an earlier one may have been applied. */
const send = async (method: string, path: string, options: Call): Promise<{ reply: Reply; isRepeated: boolean }> => {
  for (let isRepeated = false; ; isRepeated = true) {
    // `fetch` throws when a busy machine has closed a connection that was to be used again: the response is lost.
    const reply = await api.call(method, CONTENT + path, options).catch((error) => {
      if (!(error instanceof TypeError)) throw error;
    });
    if (reply === undefined || reply.status >= 500 || reply.status === 429) continue;
    const isChange = method !== 'GET' && reply.status < 300;
    if (isChange) acknowledged += 1;
    if (!isChange || acknowledged % LOST_EVERY !== 0) return { reply, isRepeated };
  }
};

/** Creates the item of this number. Of ten, three are updated, two deleted, and one of their slugs is used again. */
const play = async (key: string, nth: number): Promise<ContentItem[]> => {
  const fields = someFields(`d${nth % DOMAINS}.example`, `item-${nth}`);
  const create = async (title: string): Promise<ContentItem> => {
    const headers = { 'Idempotency-Key': `${nth} ${title}` };
    const { reply } = await send('POST', '', { key, json: { ...fields, title }, headers });
    expect(reply.status).toBe(201);
    return reply.body as ContentItem;
  };
  const update = async ({ id, version }: ContentItem, title: string): Promise<ContentItem> => {
    const headers = { 'If-Match': `"${version}"` };
    const { reply, isRepeated } = await send('PUT', `/${id}`, { key, json: { title }, headers });
    if (reply.status === 200) return reply.body as ContentItem;
    // Nobody else changes this item: after a lost response, our title and the next version mean that the update was applied.
    expect([isRepeated, reply.status]).toEqual([true, 412]);
    const found = (await send('GET', `/${id}`, { key })).reply.body as ContentItem;
    expect(found).toMatchObject({ title, version: version + 1 });
    return found;
  };
  const item = await create('First');
  if (nth % 10 < 2) return [await update(item, 'Changed')];
  if (nth % 10 === 2) return [await update(await update(item, 'Changed'), 'Changed again')];
  if (nth % 10 > 4) return [item];
  const { reply, isRepeated } = await send('DELETE', `/${item.id}`, { key });
  expect(isRepeated ? [204, 404] : [204]).toContain(reply.status);
  if (nth % 10 === 4) return [await create('Second')];
  // The same create again has the same response, even after the item was deleted.
  expect(await create('First')).toEqual(item);
  return [];
};

const byId = (items: readonly ContentItem[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

it(
  'Content of concurrent clients on a faulty database is what they were last acknowledged, each item once',
  async () => {
    api.faults.inject(withProbability(FAULT_SHARE, FAULTS, SEED));
    const expected: ContentItem[] = [];
    let next = 0;
    const clients = Array.from({ length: CLIENTS }, async () => {
      const key = await api.newKey();
      while (next < ITEMS) {
        next += 1;
        expected.push(...(await play(key, next - 1)));
      }
    });
    await Promise.all(clients);
    const faults = api.faults.calls.filter(({ fault }) => fault !== undefined).length;
    expect(faults / api.faults.calls.length).toBeGreaterThan(FAULT_SHARE / 2);

    const { client, names } = api.engine;
    const stored = await Array.fromAsync(contentExport(client, names.content).items());
    expect(byId(stored)).toEqual(byId(expected));
    // Every list has exactly these, and every total is their number.
    expect((await checkContent(client, names.content)).inconsistencies).toEqual([]);
    reportFigures('content', { listed: stored.length, databaseRequests: api.faults.calls.length, faults });
  },
  TIMEOUT_MS,
);

import { expect, it } from '@jest/globals';
import type { ContentFields, ContentItem } from '../../core/content/item.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import type { Call, Reply } from '../support/api.ts';
import { someFields } from '../support/content.ts';
import { type ChooseFault, FAULTS, withProbability } from '../support/fault-choosers.ts';
import { type Fault, isApplicable } from '../support/fault-proxy.ts';
import { testApi } from '../support/test-api.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

/** In the long run more than a bucket of 512 for each of the seven lists. */
const ITEMS = bySize(120, 4_000);
const CLIENTS = 16;
/** Lists that all clients share, so that they write the same counters. */
const DOMAINS = 7;
const SEED = 20_260_615;
/** Of all database requests. */
const FAULT_SHARE = 0.2;
/** How often other faults occur for each one with a late or no response, which takes up to a second. */
const OTHERS_PER_WAITING = 8;
/** Every so many acknowledged changes are treated as lost, and sent again. */
const LOST_EVERY = 10;
/** Far more than a fifth of faults can use up. */
const MAX_ATTEMPTS = 100;
const CONTENT = '/v1/api/content';

const api = testApi();

/** Every kind of fault on a fifth of the requests; one sequence per operation. */
const faultyDatabase = () => {
  const choosers = new Map<string, ChooseFault>();
  const weight = (fault: Fault) => (fault === 'hang' || typeof fault === 'object' ? 1 : OTHERS_PER_WAITING);
  const chosen: (Fault | undefined)[] = [];
  const choose: ChooseFault = (call) => {
    const faults = FAULTS.filter((fault) => isApplicable(fault, call));
    const weighted = faults.flatMap((fault): Fault[] => Array(weight(fault)).fill(fault));
    const chooser = choosers.get(call.operation) ?? withProbability(FAULT_SHARE, weighted, SEED + choosers.size);
    choosers.set(call.operation, chooser);
    chosen.push(chooser(call));
    return chosen.at(-1);
  };
  return { choose, chosen };
};

let acknowledgements = 0;
/** `fetch` throws a TypeError when a busy machine has closed a connection that was to be used again: the response is lost. */
const undefinedIfLost = async (reply: Promise<Reply>, isChange: boolean): Promise<Reply | undefined> => {
  try {
    const { status } = await reply;
    if (status >= 500 || status === 429) return undefined;
    if (!isChange || status >= 300) return reply;
    acknowledgements += 1;
    return acknowledgements % LOST_EVERY === 0 ? undefined : reply;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

/** Repeats a request until it is acknowledged or rejected; `isRepeated`: an earlier one may have been applied. */
const send = async (method: string, path: string, options: Call) => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const reply = await undefinedIfLost(api.call(method, CONTENT + path, options), method !== 'GET');
    if (reply) return { reply, isRepeated: attempt > 0 };
  }
  throw new Error(`${method} was not acknowledged in ${MAX_ATTEMPTS} attempts`);
};

const create = async (key: string, json: ContentFields, idempotencyKey: string): Promise<ContentItem> => {
  const { reply } = await send('POST', '', { key, json, headers: { 'Idempotency-Key': idempotencyKey } });
  expect(reply.status).toBe(201);
  return reply.body as ContentItem;
};

const update = async (key: string, { id, version }: ContentItem, title: string): Promise<ContentItem> => {
  const headers = { 'If-Match': `"${version}"` };
  const { reply, isRepeated } = await send('PUT', `/${id}`, { key, json: { title }, headers });
  if (reply.status === 200) return reply.body as ContentItem;
  // Nobody else changes this item: after a lost response, our title and the next version mean that the update was applied.
  expect([isRepeated, reply.status]).toEqual([true, 412]);
  const found = (await send('GET', `/${id}`, { key })).reply.body as ContentItem;
  expect(found).toMatchObject({ title, version: version + 1 });
  return found;
};

const remove = async (key: string, { id }: ContentItem): Promise<void> => {
  const { reply, isRepeated } = await send('DELETE', `/${id}`, { key });
  expect(isRepeated ? [204, 404] : [204]).toContain(reply.status);
  expect((await send('GET', `/${id}`, { key })).reply.status).toBe(404);
};

/** What is done with the item of this number: of ten, three are updated, two deleted, and one of their slugs is used again. */
const play = async (key: string, nth: number): Promise<ContentItem[]> => {
  const fields = someFields(`d${nth % DOMAINS}.example`, `item-${nth}`);
  const item = await create(key, fields, fields.slug);
  switch (nth % 10) {
    case 0:
    case 1:
      return [await update(key, item, 'Changed')];
    case 2:
      return [await update(key, await update(key, item, 'Changed'), 'Changed again')];
    case 3:
      await remove(key, item);
      // The same create again has the same response, even after the item was deleted.
      expect(await create(key, fields, fields.slug)).toEqual(item);
      return [];
    case 4:
      await remove(key, item);
      return [await create(key, { ...fields, title: 'Second' }, `${fields.slug} second`)];
    default:
      return [item];
  }
};

/** All items of a list, page by page, and its total. */
const listAll = async (filter: string) => {
  const key = await api.newKey();
  const items: ContentItem[] = [];
  for (;;) {
    const { body } = await api.call('GET', `${CONTENT}?limit=100&offset=${items.length}${filter}`, { key });
    const page = body as { items: ContentItem[]; total: number };
    items.push(...page.items);
    if (page.items.length < 100) return { items, total: page.total };
  }
};

const byId = (items: readonly ContentItem[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

it(
  'Content of concurrent clients on a faulty database is what they were last acknowledged, each item once',
  async () => {
    const { choose, chosen } = faultyDatabase();
    api.faults.inject(choose);
    const acknowledged: ContentItem[] = [];
    let next = 0;
    const clients = Array.from({ length: CLIENTS }, async () => {
      const key = await api.newKey();
      while (next < ITEMS) {
        next += 1;
        acknowledged.push(...(await play(key, next - 1)));
      }
    });
    await Promise.all(clients);
    api.faults.reset();

    const faults = chosen.filter((fault) => fault !== undefined).length;
    expect(Math.abs(faults / chosen.length - FAULT_SHARE)).toBeLessThan(FAULT_SHARE / 10);
    const all = await listAll('');
    expect(byId(all.items)).toEqual(byId(acknowledged));
    expect(all.total).toBe(all.items.length);
    for (const [domain, { length }] of Map.groupBy(all.items, (item) => item.domain)) {
      const { items, total } = await listAll(`&domain=${domain}`);
      expect([domain, total, items.length]).toEqual([domain, length, length]);
    }
    expect((await checkContent(api.engine.client, api.engine.names.content)).inconsistencies).toEqual([]);
    reportFigures('content', { listed: all.total, databaseRequests: chosen.length, faults });
  },
  TIMEOUT_MS,
);

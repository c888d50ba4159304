import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ContentItem } from '../../core/content/item.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { type ChooseFault, FAULTS, withProbability } from '../support/fault-choosers.ts';
import { type Fault, isApplicable } from '../support/fault-proxy.ts';
import { type ItemHistory, playScenario, retryingClient } from './content/item-scenarios.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

/** In the long run more than a bucket of 512 for each of the seven lists. */
const ITEMS = bySize(120, 4_000);
const CLIENTS = 16;
/** Milliseconds by which the clock advances with each item, so that timestamps differ; all in one rate limit window. */
const CLOCK_STEP = 1;
const SEED = 20_260_615;
/** Of all database requests. */
const FAULT_SHARE = 0.2;
/** How often other faults occur for each one with a late or no response, which takes up to a second. */
const OTHERS_PER_WAITING = 8;
const PAGE = 100;

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
    const fault = chooser(call);
    chosen.push(fault);
    return fault;
  };
  return { choose, chosen };
};

/** Each client takes the next number when it is done with its last item. */
const playAll = async (api: TestApi): Promise<ItemHistory[]> => {
  const histories: ItemHistory[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    const send = await retryingClient(api);
    while (next < ITEMS) {
      next += 1;
      histories.push(await playScenario(send, next - 1));
      api.clock.now += CLOCK_STEP;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  return histories;
};

/** All items of a list, page by page, and its total. */
const listAll = async (api: TestApi, filter: string) => {
  const key = await api.newKey();
  const items: ContentItem[] = [];
  for (;;) {
    const { body } = await api.call('GET', `/v1/api/content?limit=${PAGE}&offset=${items.length}${filter}`, { key });
    const page = body as { items: ContentItem[]; total: number };
    items.push(...page.items);
    if (page.items.length < PAGE) return { items, total: page.total };
  }
};

const byId = (items: readonly ContentItem[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

describe('Content of concurrent clients on a faulty database', () => {
  const { choose, chosen } = faultyDatabase();
  let api: TestApi;
  let histories: ItemHistory[];
  let all: Awaited<ReturnType<typeof listAll>>;

  beforeAll(async () => {
    api = await startApi();
    api.faults.inject(choose);
    histories = await playAll(api);
    api.faults.reset();
    all = await listAll(api, '');
    const counts = Map.groupBy(chosen, (fault) => JSON.stringify(fault) ?? 'none');
    const faults = [...counts].map(([fault, { length }]) => `${fault}: ${length}`);
    reportFigures('content', { listed: all.total, databaseRequests: chosen.length, faults });
  }, TIMEOUT_MS);
  afterAll(() => api.stop());

  it(`has a fault on ${FAULT_SHARE * 100} % of the database requests`, () => {
    const faults = chosen.filter((fault) => fault !== undefined).length;
    expect(Math.abs(faults / chosen.length - FAULT_SHARE)).toBeLessThan(FAULT_SHARE / 10);
  });

  it('acknowledges each create, update and delete in the end, and a repeated create with the same response', () => {
    expect(histories).toHaveLength(ITEMS);
    expect(histories.flatMap(({ unexpected }) => unexpected)).toEqual([]);
  });

  it('contains each acknowledged item once, as it was last acknowledged, and nothing else', () => {
    const acknowledged = histories.flatMap(({ item }) => item ?? []);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(byId(all.items)).toEqual(byId(acknowledged));
  });

  it('returns no deleted item', async () => {
    const deleted = histories.flatMap((history) => history.deleted);
    const key = await api.newKey();
    const readable: string[] = [];
    for (const id of deleted)
      if ((await api.call('GET', `/v1/api/content/${id}`, { key })).status !== 404) readable.push(id);
    expect(deleted).not.toEqual([]);
    expect(readable).toEqual([]);
  });

  it('has the number of items as the total of every list', async () => {
    expect(all.total).toBe(all.items.length);
    for (const [domain, items] of Map.groupBy(all.items, (item) => item.domain)) {
      const list = await listAll(api, `&domain=${domain}`);
      expect([domain, list.total, list.items.length]).toEqual([domain, items.length, items.length]);
    }
  });

  it('passes content check', async () => {
    expect((await checkContent(api.engine.client, api.engine.names.content)).inconsistencies).toEqual([]);
  });
});

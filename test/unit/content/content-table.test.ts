import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contentTable } from '../../../core/content/content-table.ts';
import type { ContentItem } from '../../../core/content/item.ts';
import { fillDomain, inconsistenciesOf, moment, someFields } from '../../support/content.ts';
import { clientOf, sharedEndpoint } from '../../support/engine.ts';
import { NOON } from '../../support/records.ts';
import { useEngine } from '../../support/use-engine.ts';

const DOMAINS = ['a.example', 'b.example', 'c.example'] as const;

const engine = useEngine();

const domain = fc.constantFrom(...DOMAINS);
const slug = fc.integer({ min: 0, max: 3 }).map((number) => `s${number}`);
const target = fc.nat();
const fields = fc.oneof({ weight: 2, arbitrary: fc.record({ domain, slug }) }, fc.record({ title: slug }));
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), domain, slug }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('update' as const), target, to: fields }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), target }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** An expected item, which its changes replace. */
interface ModelItem {
  item: ContentItem;
}

const table = () => contentTable(engine.client, engine.names.content, 'live');

/** Applies a change to the model and to the table; both reject it for the same reason. */
const perform = async (model: ModelItem[], step: Change, nth: number): Promise<unknown> => {
  const isTaken = (wanted: Pick<ContentItem, 'domain' | 'slug'>, except?: ModelItem) =>
    model.some((one) => one !== except && one.item.domain === wanted.domain && one.item.slug === wanted.slug);
  const slugTaken = { name: 'ApiError', code: 'SLUG_TAKEN' };
  if (step.kind === 'create') {
    // Two at each time, which their ids order.
    const now = new Date(NOON + Math.floor(nth / 2));
    const creating = table().create(someFields(step.domain, step.slug), undefined, { ...moment(), now });
    if (isTaken(step)) return expect(creating).rejects.toMatchObject(slugTaken);
    return model.push({ item: (await creating).item });
  }
  const known = model[step.target % Math.max(1, model.length)];
  if (known === undefined) return undefined;
  const { id, version } = known.item;
  if (step.kind === 'remove') {
    await table().remove(id, {}, moment());
    model.splice(model.indexOf(known), 1);
    const notFound = { name: 'ApiError', code: 'CONTENT_NOT_FOUND' };
    return expect(table().remove(id, {}, moment())).rejects.toMatchObject(notFound);
  }
  const updating = table().update(id, step.to, { 'If-Match': `"${version}"` }, moment());
  if (isTaken({ ...known.item, ...step.to }, known)) return expect(updating).rejects.toMatchObject(slugTaken);
  known.item = await updating;
  return undefined;
};

type Filter = { readonly domain?: string };

const byOffsets = async (filter: Filter): Promise<ContentItem[]> => {
  const items: ContentItem[] = [];
  for (;;) {
    const page = await table().list({ ...filter, offset: items.length, limit: 3 }, moment().deadline);
    items.push(...page.items);
    if (page.items.length > 0) continue;
    expect(page).toMatchObject({ total: items.length, next: null });
    return items;
  }
};

const byCursors = async (filter: Filter): Promise<ContentItem[]> => {
  const items: ContentItem[] = [];
  for (let after: string | undefined; ; ) {
    const page = await table().list({ ...filter, offset: 0, limit: 2, after }, moment().deadline);
    items.push(...page.items);
    if (page.next === null) return items;
    after = page.next;
  }
};

const placeOf = ({ created_at, id }: ContentItem): string => `${created_at} ${id}`;

it('Content matches a plain array after random changes, newest first in each list, and is consistent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 40 }), async (changes) => {
      const model: ModelItem[] = [];
      for (const [nth, step] of changes.entries()) await perform(model, step, nth);
      const newestFirst = model.map(({ item }) => item).sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));
      for (const filter of [{}, ...DOMAINS.map((name) => ({ domain: name }))]) {
        const expected = newestFirst.filter(
          (item) => item.domain === ('domain' in filter ? filter.domain : item.domain),
        );
        expect(await byOffsets(filter)).toEqual(expected);
        expect(await byCursors(filter)).toEqual(expected);
      }
      expect(await inconsistenciesOf(engine.client, engine.names.content)).toEqual([]);
      for (const { item } of model) await table().remove(item.id, {}, moment());
    }),
    { numRuns: 12 },
  );
});

const DOMAIN = 'large.example';
const ITEMS = 400;
/** The slugs of the domain, newest first. */
const SLUGS = Array.from({ length: ITEMS }, (_, n) => `item-${n}`).reverse();

/** A client that counts its requests and their units. */
const meteredClient = (endpoint: string) => {
  const client = clientOf(endpoint);
  let cost = { requests: 0, units: 0 };
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ConsumedCapacity: given = [] } = answer.output as { ConsumedCapacity?: ConsumedCapacity };
      const consumed = [given].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
      cost = { requests: cost.requests + 1, units: cost.units + consumed };
      return answer;
    },
    { step: 'initialize' },
  );
  const costOf = async (work: () => Promise<unknown>) => {
    cost = { requests: 0, units: 0 };
    await work();
    return cost;
  };
  return { client, costOf };
};

let meter: ReturnType<typeof meteredClient>;
beforeAll(() => {
  meter = meteredClient(engine.endpoint);
});
afterAll(() => meter.client.destroy());

const content = () => contentTable(meter.client, engine.names.content, 'live');
const pageOf = (bounds: { offset: number; after?: string | undefined }) =>
  content().list({ domain: DOMAIN, limit: 20, ...bounds }, moment().deadline);

describe('A page of 20', () => {
  beforeAll(() => fillDomain(engine.client, engine.names.content, DOMAIN, ITEMS));

  it.each([
    { offset: 0, units: 22 },
    { offset: 10, units: 22 },
    { offset: 350, units: 32 },
  ])('at offset $offset is correct and costs 3 requests and at most $units read units', async ({ offset, units }) => {
    const cost = await meter.costOf(async () => {
      const { items, total } = await pageOf({ offset });
      expect(total).toEqual(ITEMS);
      expect(items.map(({ slug }) => slug)).toEqual(SLUGS.slice(offset, offset + 20));
    });
    expect(cost.requests).toBe(3);
    expect(cost.units).toBeLessThanOrEqual(units);
  });

  it('costs what the first one costs on every page of a walk', async () => {
    const slugs: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const from = after;
      const { requests, units } = await meter.costOf(async () => {
        const { items, next } = await pageOf({ offset: 0, after: from });
        slugs.push(...items.map(({ slug }) => slug));
        after = next;
      });
      expect(requests).toBe(3);
      expect(units).toBeLessThanOrEqual(22);
    }
    expect(slugs).toEqual(SLUGS);
  });

  it('is complete when DynamoDB returns fewer members than were asked for', async () => {
    const client = clientOf(engine.endpoint);
    client.middlewareStack.add(
      (next) => (args) => {
        const { Limit } = args.input as { Limit?: number };
        return next({ ...args, input: { ...args.input, ...(Limit && { Limit: Math.ceil(Limit / 3) }) } });
      },
      { step: 'initialize' },
    );
    const partial = contentTable(client, engine.names.content, 'live');
    const { items } = await partial.list({ domain: DOMAIN, limit: 20, offset: 5 }, moment().deadline);
    expect(items.map(({ slug }) => slug)).toEqual(SLUGS.slice(5, 25));
    client.destroy();
  });

  it('with one slug takes 2 requests and 2 read units', async () => {
    const filter = { domain: DOMAIN, slug: 'item-5' };
    const cost = await meter.costOf(() => content().list({ ...filter, offset: 0, limit: 20 }, moment().deadline));
    expect(cost).toMatchObject({ requests: 2, units: 2 });
  });
});

// DynamoDB Local reports fewer units for a transaction than DynamoDB and the embedded engine count.
const itWithUnits = sharedEndpoint() === undefined ? it : it.skip;

itWithUnits('A change costs one write per DynamoDB item', async () => {
  let id = '';
  const create = await meter.costOf(async () => {
    id = (await content().create(someFields('new.example', 'cost'), undefined, moment())).item.id;
  });
  const update = await meter.costOf(() => content().update(id, { title: 'New' }, {}, moment()));
  const move = await meter.costOf(() => content().update(id, { domain: DOMAIN }, {}, moment()));
  const remove = await meter.costOf(() => content().remove(id, {}, moment()));
  const costs = [create, update, move, remove];
  expect(costs.map(({ requests }) => requests)).toEqual([1, 2, 2, 2]);
  // Two units for each DynamoDB item that a transaction writes, and one for the read.
  expect(costs.map(({ units }) => units)).toEqual([2 * 6, 1 + 2, 1 + 2 * 7, 1 + 2 * 6]);
});

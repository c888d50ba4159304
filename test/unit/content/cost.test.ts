import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentTable } from '../../../core/content/content-table.ts';
import { fillDomain, moment, someFields } from '../../support/content.ts';
import { sharedEndpoint } from '../../support/engine.ts';
import { meteredClient } from '../../support/metered-client.ts';
import { useEngine } from '../../support/use-engine.ts';

const DOMAIN = 'large.example';
const ITEMS = 400;
/** The slugs of the domain, newest first. */
const SLUGS = Array.from({ length: ITEMS }, (_, n) => `item-${n}`).reverse();

const engine = useEngine();
let meter: ReturnType<typeof meteredClient>;

beforeAll(async () => {
  meter = meteredClient(engine.endpoint);
  await fillDomain(engine.client, engine.names.content, DOMAIN, ITEMS);
});
afterAll(() => meter.client.destroy());

const content = () => contentTable(meter.client, engine.names.content, 'live');
const pageOf = (bounds: { offset: number; after?: string | undefined }) =>
  content().list({ domain: DOMAIN }, { limit: 20, ...bounds }, moment().deadline);

describe('A page of 20', () => {
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

  it('with one slug takes 2 requests and 2 read units', async () => {
    const filter = { domain: DOMAIN, slug: 'item-5' };
    const cost = await meter.costOf(() => content().list(filter, { offset: 0, limit: 20 }, moment().deadline));
    expect(cost).toMatchObject({ requests: 2, units: 2 });
  });
});

it('A change costs one write per DynamoDB item', async () => {
  let id = '';
  const create = await meter.costOf(async () => {
    id = (await content().create(someFields('new.example', 'cost'), undefined, moment())).item.id;
  });
  const update = await meter.costOf(() => content().update(id, { title: 'New' }, undefined, moment()));
  const move = await meter.costOf(() => content().update(id, { domain: DOMAIN }, undefined, moment()));
  const remove = await meter.costOf(() => content().remove(id, undefined, moment()));
  const costs = [create, update, move, remove];
  expect(costs.map(({ requests }) => requests)).toEqual([1, 2, 2, 2]);
  // DynamoDB Local reports fewer units for a transaction than DynamoDB and the embedded engine count.
  if (sharedEndpoint() !== undefined) return;
  // Two units for each DynamoDB item that a transaction writes, and one for the read.
  expect(costs.map(({ units }) => units)).toEqual([2 * 6, 1 + 2, 1 + 2 * 7, 1 + 2 * 6]);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentExport } from '../../admin/content/content-export.ts';
import { contentStore, domainList } from '../../core/content/content-store.ts';
import { contentTable } from '../../core/content/content-table.ts';
import { fillDomain, moment, someFields } from '../support/content.ts';
import { sharedEndpoint } from '../support/engine.ts';
import { meteredClient } from '../support/metered-client.ts';
import { useEngine } from '../support/use-engine.ts';

const DOMAIN = 'large.example';
/** A full bucket and a part of the next one. */
const DENSE = 540;
/** Positions that nobody has any more, each time up to the next bucket, and members of that. */
const GAPS = [484, 492, 492];
const SPARSE = 20;
const ITEMS = DENSE + GAPS.length * SPARSE;

const engine = useEngine();
let meter: ReturnType<typeof meteredClient>;

beforeAll(async () => {
  meter = meteredClient(engine.endpoint);
  const { client, names } = engine;
  await fillDomain(client, names.content, DOMAIN, DENSE);
  for (const [nth, gap] of GAPS.entries()) {
    await contentStore(client, names.content, 'live').lists.allocate(domainList(DOMAIN), gap);
    const fields = (domain: string, slug: string) => someFields(domain, `sparse-${nth}-${slug}`);
    await fillDomain(client, names.content, DOMAIN, SPARSE, fields);
  }
});
afterAll(() => meter.client.destroy());

const content = () => contentTable(meter.client, engine.names.content, 'live');
const slugsTo = (count: number, prefix = '') => Array.from({ length: count }, (_, n) => `${prefix}item-${n}`);
/** The slugs of the domain, newest first. */
const SLUGS = [...slugsTo(DENSE), ...GAPS.flatMap((_, nth) => slugsTo(SPARSE, `sparse-${nth}-`))].reverse();

describe('A page of 20 of a long list, much of it deleted,', () => {
  it.each([0, 10, 50, 80, 400, ITEMS - 20])(
    'at offset %i is correct and takes at most 4 requests and 40 read units',
    async (offset) => {
      const { requests, units } = await meter.costOf(async () => {
        const { items, total } = await content().list({ domain: DOMAIN }, { offset, limit: 20 }, moment().deadline);
        expect([total, items.map(({ slug }) => slug)]).toEqual([ITEMS, SLUGS.slice(offset, offset + 20)]);
      });
      expect(requests).toBeLessThanOrEqual(4);
      expect(units).toBeLessThanOrEqual(40);
    },
  );

  it('with one slug takes 2 requests and 2 read units', async () => {
    const filter = { domain: DOMAIN, slug: 'item-5' };
    const cost = await meter.costOf(() => content().list(filter, { offset: 0, limit: 20 }, moment().deadline));
    expect([cost.requests, cost.units]).toEqual([2, 2]);
  });
});

it('A change costs one write per DynamoDB item', async () => {
  let id = '';
  const create = await meter.costOf(async () => {
    ({ id } = await content().create(someFields('new.example', 'cost'), undefined, moment()));
  });
  const update = await meter.costOf(() => content().update(id, { title: 'New' }, undefined, moment()));
  const move = await meter.costOf(() => content().update(id, { domain: DOMAIN }, undefined, moment()));
  const remove = await meter.costOf(() => content().remove(id, undefined, moment()));
  const costs = [create, update, move, remove];
  expect(costs.map(({ requests }) => requests)).toEqual([3, 2, 3, 2]);
  // DynamoDB Local reports fewer units for a transaction than DynamoDB and the embedded engine count.
  if (sharedEndpoint() !== undefined) return;
  // Two units for each DynamoDB item that a transaction writes, one for each position allocator and one for the read.
  expect(costs.map(({ units }) => units)).toEqual([2 + 2 * 6, 1 + 2, 1 + 1 + 2 * 7, 1 + 2 * 6]);
});

it('An export yields every item once, oldest in the list first', async () => {
  const exported = contentExport(engine.client, engine.names.content);
  const slugs = (await Array.fromAsync(exported.items())).map(({ slug }) => slug);
  expect(slugs).toEqual(SLUGS.toReversed());
  expect(await exported.count()).toBe(ITEMS);
});

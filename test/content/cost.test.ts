import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentTable } from '../../functions/content/content-table.ts';
import { contentCheck } from '../../lib/content-maintenance/content-check.ts';
import { contentExport } from '../../lib/content-maintenance/content-export.ts';
import { fillDomain, moment } from '../support/content.ts';
import { sharedEndpoint, startEngine, type TestEngine } from '../support/engine.ts';
import { meteredClient } from '../support/metered-client.ts';

/** Three full buckets and a part of a fourth. */
const ITEMS = 1_700;
const DOMAIN = 'large.example';

let engine: TestEngine;
let meter: ReturnType<typeof meteredClient>;

beforeAll(async () => {
  engine = await startEngine();
  meter = meteredClient(engine.endpoint);
  await fillDomain(engine.client, engine.names.content, DOMAIN, ITEMS);
}, 120_000);
afterAll(async () => {
  meter.client.destroy();
  await engine.stop();
});

const content = () => contentTable(meter.client, engine.names.content);
const pageAt = (offset: number, limit = 20) => content().list({ domain: DOMAIN }, { offset, limit }, moment().deadline);
const slugsFrom = (newest: number, count: number) => Array.from({ length: count }, (_, n) => `item-${newest - n}`);

describe('A page of 20 of a long list', () => {
  it.each([0, 150, 160, 400, 670, 900, 1_190, ITEMS - 20])(
    'at offset %i is correct and takes at most 4 requests and 40 read units',
    async (offset) => {
      const { requests, units } = await meter.costOf(async () => {
        const { items, total } = await pageAt(offset);
        expect(total).toBe(ITEMS);
        expect(items.map(({ slug }) => slug)).toEqual(slugsFrom(ITEMS - 1 - offset, 20));
      });
      expect(requests).toBeLessThanOrEqual(4);
      expect(units).toBeLessThanOrEqual(40);
    },
  );

  it('is found by its slug without reading the list', async () => {
    const { requests, units } = await meter.costOf(() =>
      content().list({ domain: DOMAIN, slug: 'item-5' }, { offset: 0, limit: 20 }, moment().deadline),
    );
    expect([requests, units]).toEqual([2, 2]);
  });
});

describe('A change', () => {
  it('costs one write per entry', async () => {
    const fields = { title: 'Title', content: 'Text', domain: 'new.example', slug: 'cost', meta_description: '' };
    let id = '';
    const create = await meter.costOf(async () => {
      ({ id } = await content().create(fields, undefined, moment()));
    });
    const update = await meter.costOf(() => content().update(id, { title: 'New' }, undefined, moment()));
    const move = await meter.costOf(() => content().update(id, { domain: DOMAIN }, undefined, moment()));
    const remove = await meter.costOf(() => content().remove(id, undefined, moment()));
    const costs = { create, update, move, remove };
    const requests = Object.values(costs).map((cost) => cost.requests);
    expect(requests).toEqual([3, 2, 3, 2]);
    // DynamoDB Local reports fewer units for a transaction than DynamoDB and the embedded engine count.
    if (sharedEndpoint() !== undefined) return;
    // Two units for each entry that a transaction writes, one for each position allocator and one for the read.
    const units = Object.values(costs).map((cost) => cost.units);
    expect(units).toEqual([2 + 2 * 6, 1 + 2, 1 + 1 + 2 * 7, 1 + 2 * 6]);
  });
});

describe('An export', () => {
  it('yields every item once, the first to join first', async () => {
    const slugs: string[] = [];
    for await (const { slug } of contentExport(engine.client, engine.names.content).items()) slugs.push(slug);
    expect(slugs).toEqual(slugsFrom(ITEMS - 1, ITEMS).reverse());
    expect(await contentExport(engine.client, engine.names.content).count()).toBe(ITEMS);
  });
});

describe('A list of which 90 % was deleted', () => {
  it('is correct and as cheap at every offset', async () => {
    const all = [];
    for await (const item of contentExport(engine.client, engine.names.content).items()) all.push(item);
    const leaving = all.filter((_, index) => index % 10 !== 0);
    const next = leaving.values();
    const worker = async () => {
      for (const { id } of next) await content().remove(id, undefined, moment());
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    const staying = all
      .filter((_, index) => index % 10 === 0)
      .map(({ slug }) => slug)
      .reverse();
    for (let offset = 0; offset < staying.length; offset += 20) {
      const { requests, units } = await meter.costOf(async () => {
        const { items, total } = await pageAt(offset);
        expect(total).toBe(staying.length);
        expect(items.map(({ slug }) => slug)).toEqual(staying.slice(offset, offset + 20));
      });
      expect(requests).toBeLessThanOrEqual(4);
      expect(units).toBeLessThanOrEqual(40);
    }
    expect((await contentCheck(engine.client, engine.names.content).check()).inconsistencies).toEqual([]);
  }, 120_000);
});

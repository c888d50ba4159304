import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { keyStore } from '../../../admin/keys/key-store.ts';
import { complianceTable } from '../../../core/compliance/compliance-table.ts';
import { contentTable } from '../../../core/content/content-table.ts';
import { deadlineIn } from '../../../core/runtime/deadline.ts';
import { storedRegistrationKey } from '../../../core/vehicles/registration.ts';
import { vehiclesTable } from '../../../core/vehicles/vehicles-table.ts';
import { storeItems } from '../../../local/sample-database.ts';
import { inconsistenciesOf, someFields } from '../../support/content.ts';
import { useEngine } from '../../support/use-engine.ts';

type Item = Readonly<Record<string, unknown>>;
type Items = Readonly<Record<'keys' | 'vehicles' | 'compliance' | 'content', readonly Item[]>>;

const TABLES = ['keys', 'vehicles', 'compliance', 'content'] as const;
const STORED = readFileSync(join(import.meta.dirname, '../../fixtures/stored-items.json'), 'utf8');

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const VERSIONS: readonly [version: string, Items][] = [
  ['this version', JSON.parse(STORED)],
  // It stores items beside this one during a deployment.
  ['a later version', JSON.parse(STORED, (_name, value) => (isObject(value) ? { ...value, addedLater: 1 } : value))],
];

/** Attributes that only a later version knows, and attributes of the content table that are no field of an item. */
const NOT_IN_RECORDS = ['addedLater', 'pk', 'sk'];

/** The record that this version must read from an item. */
const recordIn = (item: unknown): unknown =>
  JSON.parse(JSON.stringify(item, (name, value) => (NOT_IN_RECORDS.includes(name) ? undefined : value)));

describe.each(VERSIONS)('Items that %s has stored', (_version, stored) => {
  const engine = useEngine();
  beforeAll(async () => {
    for (const table of TABLES) await storeItems(engine.client, engine.names[table], stored[table]);
  });

  it('are read as keys', async () => {
    expect(await keyStore(engine.client, engine.names.keys).list()).toEqual(stored.keys.map(recordIn));
  });

  it('are read as vehicles and compliance records, one by one and in bulk', async () => {
    const vehicles = vehiclesTable(engine.client, engine.names.vehicles);
    const registrations = stored.vehicles.map(storedRegistrationKey);
    expect(await Promise.all(registrations.map(vehicles.find))).toEqual(stored.vehicles.map(recordIn));
    const { found } = await vehicles.findMany(registrations, deadlineIn(10_000));
    const policies = registrations.map((each) => found.get(each)?.policies);
    expect(policies).toEqual(stored.vehicles.map((item) => recordIn(item.policies)));
    const { findWithVehicle } = complianceTable(engine.client, engine.names);
    for (const item of stored.compliance) {
      const { compliance } = await findWithVehicle(storedRegistrationKey(item), deadlineIn(10_000));
      expect(compliance).toEqual(recordIn(item));
    }
  });

  it('are read as content: items, slugs and lists, which can still be changed', async () => {
    const content = contentTable(engine.client, engine.names.content, 'live');
    const items = stored.content.filter(({ sk }) => sk === 'item').map(recordIn);
    const page = { offset: 0, limit: 10 };
    const list = (filter: { domain?: string; slug?: string }) =>
      content.list({ ...filter, ...page }, deadlineIn(10_000));
    expect(await list({})).toEqual({ items: items.toReversed(), total: items.length, next: null });
    expect(await list({ domain: 'example.org' })).toEqual({
      items: items.toReversed(),
      total: items.length,
      next: null,
    });
    expect(await list({ domain: 'example.org', slug: 'slug-1' })).toEqual({ items: [items[0]], total: 1, next: null });

    const moment = { now: new Date(), deadline: deadlineIn(10_000) };
    await content.create(someFields('example.org', 'another'), undefined, moment);
    expect((await list({})).total).toBe(items.length + 1);
    expect(await inconsistenciesOf(engine.client, engine.names.content)).toEqual([]);
  });
});

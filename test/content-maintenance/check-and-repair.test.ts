import { DeleteCommand, GetCommand, PutCommand, type QueryCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contentKeys } from '../../core/content/content-entries.ts';
import { contentTable } from '../../core/content/content-table.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import type { Inconsistency } from '../../lib/content-maintenance/content-inconsistencies.ts';
import { contentRepair } from '../../lib/content-maintenance/content-repair.ts';
import { fillDomain, moment, someFields } from '../support/content.ts';
import { clientOf, startEngine, storeItems, type TestEngine } from '../support/engine.ts';
import { forOperation, onNthCall } from '../support/fault-choosers.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';

type Client = TestEngine['client'];
type Key = ReturnType<typeof itemKey>;

const { allocatorKey, counterKey, itemKey, memberKey, slugKey } = contentKeys('live');

let engine: TestEngine;
let proxy: FaultProxy;
/** Through the proxy. */
let db: Client;
let TableName: string;
let items: readonly ContentItem[];
let round = 0;
let domain: string;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startFaultProxy(engine.endpoint);
  db = clientOf(proxy.endpoint);
  TableName = engine.names.content;
});
afterAll(async () => {
  db.destroy();
  await proxy.close();
  await engine.stop();
});
beforeEach(async () => {
  round += 1;
  domain = `round-${round}.example`;
  await fillDomain(engine.client, TableName, domain, 5);
  ({ items } = await content().list({ domain }, { offset: 0, limit: 5 }, moment().deadline));
});

const content = () => contentTable(engine.client, TableName, 'live');
const check = () => checkContent(db, TableName);
const inconsistencies = async () => (await check()).inconsistencies;
const kindsOf = (found: readonly Inconsistency[]) => found.map(({ kind }) => kind).sort();
const repair = (found: Inconsistency) => contentRepair(db, TableName, 'live')(found);
/** Repairs what a check finds, after which the next one finds nothing. */
const repairAll = async (found: readonly Inconsistency[]): Promise<void> => {
  for (const each of found) expect(await repair(each)).toBe(true);
  expect(await inconsistencies()).toEqual([]);
};
const drop = (key: Key) => engine.client.send(new DeleteCommand({ TableName, Key: key }));
const put = (Item: Key & Record<string, unknown>) => engine.client.send(new PutCommand({ TableName, Item }));
const update = (key: Key, UpdateExpression: string, value: unknown) =>
  engine.client.send(
    new UpdateCommand({ TableName, Key: key, UpdateExpression, ExpressionAttributeValues: { ':value': value } }),
  );
const list = () => `domain:${domain}`;
const idAt = (index: number): string => items[index]?.id ?? '';

describe('A check of content', () => {
  it.each<[string, () => Promise<unknown>, string[]]>([
    ['a lost member', () => drop(memberKey(list(), 2)), ['miscounted bucket', 'missing member']],
    [
      'a member without an item',
      () => put({ ...memberKey(list(), 77), member: 'nobody' }),
      ['allocator behind', 'miscounted bucket', 'orphaned member'],
    ],
    ['a lost slug claim', () => drop(slugKey(domain, 'item-1')), ['missing slug claim']],
    ['a slug claim without an item', () => put({ ...slugKey(domain, 'free'), id: 'nobody' }), ['orphaned slug claim']],
    ['a wrong counter', () => put({ ...counterKey(list(), 0), members: 9 }), ['miscounted bucket']],
    ['a lost counter', () => drop(counterKey(list(), 0)), ['miscounted bucket']],
    ['a lost position allocator', () => drop(allocatorKey(list())), ['allocator behind']],
    ['a lost item', () => drop(itemKey(idAt(0))), ['orphaned member', 'orphaned member', 'orphaned slug claim']],
  ])('finds %s and repairs it', async (what, damage, kinds) => {
    expect(await inconsistencies()).toEqual([]);
    await damage();
    const found = await inconsistencies();
    expect(kindsOf(found)).toEqual(kinds);
    await repairAll(found);
    const { total } = await content().list({ domain }, { offset: 0, limit: 1 }, moment().deadline);
    expect(total).toBe(what === 'a lost item' ? 4 : 5);
  });

  it.each<['missing member' | 'orphaned member', number, () => string, string[]]>([
    ['missing member', 2, () => idAt(2), []],
    // It takes the place of another member, which is then missing.
    ['orphaned member', 3, () => 'nobody', ['missing member']],
  ])('repairs a %s and its bucket when the first response is lost', async (kind, position, member, left) => {
    const id = member();
    await (id === 'nobody' ? put({ ...memberKey(list(), position), member: id }) : drop(memberKey(list(), position)));
    await put({ ...counterKey(list(), 0), members: 9 });
    proxy.inject(forOperation('TransactWriteItems', onNthCall(1, 'resetAfter')));
    expect(await repair({ kind, list: list(), position, id })).toBe(true);
    proxy.reset();
    const found = await inconsistencies();
    expect(kindsOf(found)).toEqual(left);
    await repairAll(found);
  });

  it('finds more inconsistencies than it confirms at a time', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => slugKey(domain, `free-${index}`));
    const claims = keys.map((key) => ({ ...key, id: 'nobody' }));
    await storeItems(engine.client, TableName, claims);
    const found = await inconsistencies();
    expect(kindsOf(found)).toEqual(claims.map(() => 'orphaned slug claim'));
    await Promise.all(keys.map(drop));
  });

  it('does not repair a slug that two items have', async () => {
    const setSlug = (slug = '') => update(itemKey(idAt(0)), 'SET slug = :value', slug);
    await setSlug('item-0');
    const missing = (await inconsistencies()).find(({ kind }) => kind === 'missing slug claim');
    expect(missing).toMatchObject({ slug: 'item-0', id: idAt(0) });
    expect(missing && (await repair(missing))).toBe(false);
    await setSlug(items[0]?.slug);
  });

  it('leaves what is consistent when an out-of-date report is repaired', async () => {
    const member = { list: list(), position: (await content().find(idAt(0)))?.positions.domain ?? -1, id: idAt(0) };
    const claim = { domain, slug: items[0]?.slug ?? '', id: idAt(0) };
    for (const kind of ['orphaned member', 'missing member'] as const)
      expect(await repair({ kind, ...member })).toBe(false);
    for (const kind of ['orphaned slug claim', 'missing slug claim'] as const) {
      expect(await repair({ kind, ...claim })).toBe(false);
    }
    expect(await repair({ kind: 'allocator behind', list: list(), allocated: 5 })).toBe(false);
    expect(await inconsistencies()).toEqual([]);
  });

  it('reports a counter as busy, and a repair leaves it, when it changes during every count', async () => {
    db.middlewareStack.add(
      (next) => async (args) => {
        if ((args.input as QueryCommandInput).Select === 'COUNT') {
          await update(counterKey(list(), 0), 'ADD members :value', 1);
        }
        return next(args);
      },
      { step: 'initialize', name: 'change' },
    );
    expect(await check()).toMatchObject({ inconsistencies: [], busy: [{ list: list(), bucket: 0 }] });
    const stale = { bucket: 0, counter: 5, members: 6, changes: 1 };
    expect(await repair({ kind: 'miscounted bucket', list: list(), ...stale })).toBe(false);
    db.middlewareStack.remove('change');
    await put({ ...counterKey(list(), 0), members: 5 });
  });
});

it('A counter has a change number that grows with each change, also from a counter that had none', async () => {
  const counter = async () => {
    const Key = counterKey(list(), 0);
    const { Item } = await engine.client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return [Item?.members, Item?.changes];
  };
  expect(await counter()).toEqual([5, 1]);
  const { id } = await content().create(someFields(domain, 'new'), undefined, moment());
  expect(await counter()).toEqual([6, 2]);
  await content().remove(id, undefined, moment());
  expect(await counter()).toEqual([5, 3]);
  await put({ ...counterKey(list(), 0), members: 5 });
  await content().create(someFields(domain, 'new'), undefined, moment());
  expect(await counter()).toEqual([6, 1]);
});

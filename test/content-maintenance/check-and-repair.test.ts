import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  type QueryCommandInput,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
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
import { startFaultProxy } from '../support/fault-proxy.ts';

type Client = TestEngine['client'];
type Key = ReturnType<typeof itemKey>;

const { allocatorKey, counterKey, itemKey, memberKey, slugKey } = contentKeys('live');

let engine: TestEngine;
let TableName: string;
let items: readonly ContentItem[];
let round = 0;
let domain: string;

beforeAll(async () => {
  engine = await startEngine();
  TableName = engine.names.content;
});
const ends: (() => unknown)[] = [];
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
  await engine.stop();
});
beforeEach(async () => {
  round += 1;
  domain = `round-${round}.example`;
  await fillDomain(engine.client, TableName, domain, 5);
  ({ items } = await content().list({ domain }, { offset: 0, limit: 5 }, moment().deadline));
});

const content = () => contentTable(engine.client, TableName, 'live');
const check = (db: Client = engine.client) => checkContent(db, TableName);
const inconsistencies = async () => (await check()).inconsistencies;
const repair = (found: Inconsistency, db: Client = engine.client) => contentRepair(db, TableName, 'live')(found);
const drop = (key: Key) => engine.client.send(new DeleteCommand({ TableName, Key: key }));
const put = (Item: Key & Record<string, unknown>) => engine.client.send(new PutCommand({ TableName, Item }));
const update = (key: Key, UpdateExpression: string, value: unknown) =>
  engine.client.send(
    new UpdateCommand({ TableName, Key: key, UpdateExpression, ExpressionAttributeValues: { ':value': value } }),
  );
const list = () => `domain:${domain}`;
const aNewItem = (slug = `new-${round}`) => content().create(someFields(domain, slug), undefined, moment());
const idAt = (index: number): string => items[index]?.id ?? '';

type Around = <T>(command: string, input: object, send: () => Promise<T>) => Promise<T>;

/** A client on which `around` runs each command. */
const observedClient = (around: Around): Client => {
  const client = clientOf(engine.endpoint);
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) =>
        around(commandName, args.input, () => next(args)),
    { step: 'initialize' },
  );
  ends.push(() => client.destroy());
  return client;
};

/** A client that runs `others` before and after the first `times` commands of a kind. */
const interrupted = (
  isMeant: (command: string, input: object) => boolean,
  others: { before?: () => Promise<unknown>; after?: () => Promise<unknown> },
  times = 1,
): Client => {
  let left = times;
  return observedClient(async (command, input, send) => {
    if (left === 0 || !isMeant(command, input)) return send();
    left -= 1;
    await others.before?.();
    const answer = await send();
    await others.after?.();
    return answer;
  });
};

describe('A check of content', () => {
  it('finds no inconsistency in consistent content', async () => {
    expect(await inconsistencies()).toEqual([]);
  });

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
    await damage();
    const found = await inconsistencies();
    expect(found.map(({ kind }) => kind).sort()).toEqual(kinds);
    for (const each of found) expect(await repair(each)).toBe(true);
    expect(await inconsistencies()).toEqual([]);
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
    const faults = await startFaultProxy(engine.endpoint);
    const db = clientOf(faults.endpoint);
    faults.inject(forOperation('TransactWriteItems', onNthCall(1, 'resetAfter')));
    expect(await repair({ kind, list: list(), position, id }, db)).toBe(true);
    db.destroy();
    await faults.close();
    const found = await inconsistencies();
    expect(found.map((each) => each.kind)).toEqual(left);
    for (const each of found) expect(await repair(each)).toBe(true);
    expect(await inconsistencies()).toEqual([]);
  });

  it('finds more inconsistencies than it takes from its scan at a time', async () => {
    const keys = Array.from({ length: 1_200 }, (_, index) => slugKey(domain, `free-${index}`));
    const claims = keys.map((key) => ({ ...key, id: 'nobody' }));
    await storeItems(engine.client, TableName, claims);
    const found = await inconsistencies();
    expect(found.map(({ kind }) => kind)).toEqual(claims.map(() => 'orphaned slug claim'));
    await Promise.all(keys.map(drop));
  });

  it('does not repair a slug that two items have', async () => {
    const [first] = items;
    const setSlug = (slug = '') => update(itemKey(idAt(0)), 'SET slug = :value', slug);
    await setSlug('item-0');
    const missing = (await inconsistencies()).find(({ kind }) => kind === 'missing slug claim');
    expect(missing).toMatchObject({ slug: 'item-0', id: idAt(0) });
    expect(missing && (await repair(missing))).toBe(false);
    await setSlug(first?.slug);
  });

  const isAllocator = ({ sk }: Key) => sk === 'head';
  it.each([
    ['of everything', () => true],
    ['of the position allocators', isAllocator],
    ['of all but the position allocators', (entry: Key) => !isAllocator(entry)],
  ])('raises no false alarm when items change after an early read %s', async (_what, isEarly) => {
    const scan = async () =>
      (await engine.client.send(new ScanCommand({ TableName, ConsistentRead: true }))).Items ?? [];
    const early = (await scan()) as Key[];
    await aNewItem();
    await content().remove(idAt(0), undefined, moment());
    await content().update(idAt(1), { domain: `to.${domain}` }, undefined, moment());
    await content().update(idAt(2), { slug: 'another' }, undefined, moment());
    const Items = [...early.filter(isEarly), ...((await scan()) as Key[]).filter((entry) => !isEarly(entry))];
    const client = observedClient(async (command, _input, send) => {
      const answer = await send();
      if (command === 'ScanCommand') Object.assign((answer as { output: object }).output, { Items });
      return answer;
    });
    expect((await check(client)).inconsistencies).toEqual([]);
  });
});

describe('A counter', () => {
  const counter = async () => {
    const Key = counterKey(list(), 0);
    const { Item } = await engine.client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return { members: Item?.members, changes: Item?.changes };
  };
  const addToCounter = (members: number) => update(counterKey(list(), 0), 'ADD members :value', members);
  const isCount = (command: string, input: object): boolean => {
    const { Select, ExpressionAttributeValues } = input as QueryCommandInput;
    const partition = ExpressionAttributeValues?.[':pk'];
    return command === 'QueryCommand' && Select === 'COUNT' && partition === memberKey(list(), 0).pk;
  };
  const stale = () =>
    ({ kind: 'miscounted bucket', list: list(), bucket: 0, counter: 5, members: 6, changes: 1 }) as const;

  it('has a change number that grows with each change, also from a counter that had none', async () => {
    expect(await counter()).toEqual({ members: 5, changes: 1 });
    const { id } = await aNewItem();
    expect(await counter()).toEqual({ members: 6, changes: 2 });
    await content().remove(id, undefined, moment());
    expect(await counter()).toEqual({ members: 5, changes: 3 });
    await put({ ...counterKey(list(), 0), members: 5 });
    await aNewItem();
    expect(await counter()).toEqual({ members: 6, changes: 1 });
    expect(await inconsistencies()).toEqual([]);
  });

  it.each([1, 2])('stays correct when an item exists only while the members are counted (%i times)', async (times) => {
    let id = '';
    let created = 0;
    const others = {
      before: async () => {
        created += 1;
        ({ id } = await aNewItem(`passing-${created}`));
      },
      after: () => content().remove(id, undefined, moment()),
    };
    expect(await check(interrupted(isCount, others, times))).toMatchObject({ inconsistencies: [], busy: [] });
    expect(await repair(stale(), interrupted(isCount, others, times))).toBe(true);
    expect(await counter()).toMatchObject({ members: 5 });
    expect(await inconsistencies()).toEqual([]);
  });

  it('is recounted when an item is created between the recount and the repair', async () => {
    await addToCounter(4);
    const found = await inconsistencies();
    expect(found).toMatchObject([{ kind: 'miscounted bucket', counter: 9, members: 5 }]);
    const isRepair = (command: string) => command === 'TransactWriteItemsCommand';
    const client = interrupted(isRepair, { before: () => aNewItem() });
    for (const each of found) expect(await repair(each, client)).toBe(true);
    expect(await counter()).toMatchObject({ members: 6 });
    expect(await inconsistencies()).toEqual([]);
  });

  it('is reported as busy and not repaired when it changes during every count', async () => {
    const changing = () => interrupted(isCount, { before: () => addToCounter(1) }, Number.POSITIVE_INFINITY);
    expect(await check(changing())).toMatchObject({ inconsistencies: [], busy: [{ list: list(), bucket: 0 }] });
    expect(await repair(stale(), changing())).toBe(false);
    await put({ ...counterKey(list(), 0), members: 5 });
  });

  it('and everything else that is consistent stays unchanged when an out-of-date report is repaired', async () => {
    const id = idAt(0);
    const position = (await content().find(id))?.positions.domain ?? -1;
    const slug = items[0]?.slug ?? '';
    const consistent: Inconsistency[] = [
      { kind: 'orphaned member', list: list(), position, id },
      { kind: 'missing member', list: list(), position, id },
      { kind: 'orphaned slug claim', domain, slug, id },
      { kind: 'missing slug claim', domain, slug, id },
      { kind: 'allocator behind', list: list(), allocated: 5 },
    ];
    const before = await counter();
    for (const each of consistent) expect(await repair(each)).toBe(false);
    expect(await counter()).toEqual(before);
    await content().remove(id, undefined, moment());
    for (const each of consistent) expect(await repair(each)).toBe(false);
    expect(await inconsistencies()).toEqual([]);
  });
});

describe('Content of test keys', () => {
  const sandbox = () => contentTable(engine.client, TableName, 'test');
  const repairSandbox = (found: Inconsistency) => contentRepair(engine.client, TableName, 'test')(found);
  const keys = contentKeys('test');

  it('is checked separately: consistent content is reported neither there nor in live content', async () => {
    const before = await check();
    await sandbox().create(someFields(domain, 'item-1'), undefined, moment());
    const { sandbox: after, ...live } = await check();
    expect({ ...live, sandbox: before.sandbox }).toEqual(before);
    expect(after).toMatchObject({ items: before.sandbox.items + 1, inconsistencies: [], busy: [] });
  });

  it('is repaired without changing live content', async () => {
    const { id } = await sandbox().create(someFields(domain, 'item-2'), undefined, moment());
    await drop(keys.slugKey(domain, 'item-2'));
    await put({ ...keys.counterKey(list(), 0), members: 9 });
    await drop(keys.memberKey('all', (await sandbox().find(id))?.positions.all ?? -1));
    const before = await content().list({ domain }, { offset: 0, limit: 5 }, moment().deadline);
    const found = (await check()).sandbox.inconsistencies;
    expect(found.map(({ kind }) => kind).sort()).toEqual([
      'miscounted bucket',
      'miscounted bucket',
      'missing member',
      'missing slug claim',
    ]);
    for (const each of found) expect(await repairSandbox(each)).toBe(true);
    expect(await check()).toMatchObject({ inconsistencies: [], sandbox: { inconsistencies: [] } });
    expect(await content().list({ domain }, { offset: 0, limit: 5 }, moment().deadline)).toEqual(before);
    const { items: own } = await sandbox().list({ domain, slug: 'item-2' }, { offset: 0, limit: 1 }, moment().deadline);
    expect(own.map((item) => item.id)).toEqual([id]);
  });
});

import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  type QueryCommandInput,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { itemKey, slugKey } from '../../functions/content/content-entries.ts';
import { contentTable } from '../../functions/content/content-table.ts';
import type { ContentItem } from '../../functions/content/item.ts';
import { allocatorKey, counterKey, memberKey } from '../../functions/counted-list/entries.ts';
import { contentCheck } from '../../lib/content-maintenance/content-check.ts';
import type { Inconsistency } from '../../lib/content-maintenance/content-inconsistencies.ts';
import { contentRepair } from '../../lib/content-maintenance/content-repair.ts';
import { fillDomain, moment, someFields } from '../support/content.ts';
import { clientOf, startEngine, type TestEngine } from '../support/engine.ts';
import { forOperation, onNthCall } from '../support/fault-choosers.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';

let engine: TestEngine;
let items: readonly ContentItem[];
let round = 0;
let domain: string;

beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());
beforeEach(async () => {
  round += 1;
  domain = `round-${round}.example`;
  await fillDomain(engine.client, engine.names.content, domain, 5);
  ({ items } = await content().list({ domain }, { offset: 0, limit: 5 }, moment().deadline));
});

const content = () => contentTable(engine.client, engine.names.content);
const checker = () => contentCheck(engine.client, engine.names.content);
const repair = (found: Inconsistency, db = engine.client) => contentRepair(db, engine.names.content).repair(found);
const drop = (Key: ReturnType<typeof itemKey>) =>
  engine.client.send(new DeleteCommand({ TableName: engine.names.content, Key }));
const put = (Item: ReturnType<typeof itemKey>) =>
  engine.client.send(new PutCommand({ TableName: engine.names.content, Item }));
const list = () => `domain:${domain}`;

/** Inconsistencies made in the content of this round, and the kinds that a check reports. */
const damages: readonly (readonly [string, () => Promise<unknown>, string[]])[] = [
  ['a lost member', () => drop(memberKey(list(), 2)), ['missing member', 'miscounted bucket']],
  [
    'a member without an item',
    () => put({ ...memberKey(list(), 77), member: 'nobody' }),
    ['orphaned member', 'allocator behind', 'miscounted bucket'],
  ],
  ['a lost slug claim', () => drop(slugKey(domain, 'item-1')), ['missing slug claim']],
  ['a slug claim without an item', () => put({ ...slugKey(domain, 'free'), id: 'nobody' }), ['orphaned slug claim']],
  ['a wrong counter', () => put({ ...counterKey(list(), 0), members: 9 }), ['miscounted bucket']],
  ['a lost counter', () => drop(counterKey(list(), 0)), ['miscounted bucket']],
  ['a lost position allocator', () => drop(allocatorKey(list())), ['allocator behind']],
  [
    'a lost item',
    () => drop(itemKey(items[0]?.id ?? '')),
    ['orphaned slug claim', 'orphaned member', 'orphaned member'],
  ],
];

describe('A check of content', () => {
  it('finds no inconsistency in consistent content', async () => {
    expect((await checker().check()).inconsistencies).toEqual([]);
  });

  it.each(damages)('finds %s and repairs it', async (_what, damage, kinds) => {
    await damage();
    const { inconsistencies } = await checker().check();
    expect(inconsistencies.map(({ kind }) => kind).sort()).toEqual(kinds.toSorted());
    for (const found of inconsistencies) expect(await repair(found)).toBe(true);
    expect((await checker().check()).inconsistencies).toEqual([]);
    const { total } = await content().list({ domain }, { offset: 0, limit: 1 }, moment().deadline);
    expect(total).toBe(_what === 'a lost item' ? 4 : 5);
  });

  it.each([
    ['missing member', () => ({ position: 2, id: items[2]?.id ?? '' })],
    ['orphaned member', () => ({ position: 3, id: 'nobody' })],
  ] as const)('repairs a %s and its bucket when the first response is lost', async (kind, membership) => {
    const faults = await startFaultProxy(engine.endpoint);
    const db = clientOf(faults.endpoint);
    const { position, id } = membership();
    if (kind === 'orphaned member') await put({ ...memberKey(list(), position), member: id });
    else await drop(memberKey(list(), position));
    await put({ ...counterKey(list(), 0), members: 9 });
    faults.inject(forOperation('TransactWriteItems', onNthCall(1, 'resetAfter')));
    expect(await repair({ kind, list: list(), position, id }, db)).toBe(true);
    db.destroy();
    await faults.close();
    const left = (await checker().check()).inconsistencies;
    // The orphaned member was put in the place of another one, which is now missing.
    expect(left.map((found) => found.kind)).toEqual(kind === 'orphaned member' ? ['missing member'] : []);
    for (const found of left) expect(await repair(found)).toBe(true);
    expect((await checker().check()).inconsistencies).toEqual([]);
  });

  it('leaves a slug that two items have unrepaired', async () => {
    const [first] = items;
    const setSlug = (slug: string) =>
      engine.client.send(
        new UpdateCommand({
          TableName: engine.names.content,
          Key: itemKey(first?.id ?? ''),
          UpdateExpression: 'SET slug = :slug',
          ExpressionAttributeValues: { ':slug': slug },
        }),
      );
    await setSlug('item-0');
    const { inconsistencies } = await checker().check();
    const missing = inconsistencies.find(({ kind }) => kind === 'missing slug claim');
    expect(missing).toMatchObject({ slug: 'item-0', id: first?.id });
    expect(missing && (await repair(missing))).toBe(false);
    await setSlug(first?.slug ?? '');
  });
});

/** A client that runs `others` before and after the first `times` requests of a kind. */
const interrupted = (
  isMeant: (command: string, input: object) => boolean,
  others: { before?: () => Promise<unknown>; after?: () => Promise<unknown> },
  times = 1,
) => {
  const client = clientOf(engine.endpoint);
  let left = times;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const isMatch = left > 0 && isMeant(commandName, args.input);
        if (isMatch) left -= 1;
        if (isMatch) await others.before?.();
        const answer = await next(args);
        if (isMatch) await others.after?.();
        return answer;
      },
    { step: 'initialize' },
  );
  clients.push(client);
  return client;
};
const clients: TestEngine['client'][] = [];
afterAll(() => {
  for (const client of clients) client.destroy();
});

const aNewItem = (slug = `new-${round}`) => content().create(someFields(domain, slug), undefined, moment());
const counter = async () => {
  const Key = counterKey(list(), 0);
  const { Item } = await engine.client.send(
    new GetCommand({ TableName: engine.names.content, Key, ConsistentRead: true }),
  );
  return { members: Item?.members, changes: Item?.changes };
};
const addToCounter = (members: number) =>
  engine.client.send(
    new UpdateCommand({
      TableName: engine.names.content,
      Key: counterKey(list(), 0),
      UpdateExpression: 'ADD members :members',
      ExpressionAttributeValues: { ':members': members },
    }),
  );

const isCount = (command: string, input: object): boolean => {
  const { Select, ExpressionAttributeValues } = input as QueryCommandInput;
  const partition = ExpressionAttributeValues?.[':pk'];
  return command === 'QueryCommand' && Select === 'COUNT' && partition === memberKey(list(), 0).pk;
};

describe('A counter', () => {
  it('has a change number that grows with each change, also from a counter that had none', async () => {
    expect(await counter()).toEqual({ members: 5, changes: 1 });
    const { id } = await aNewItem();
    expect(await counter()).toEqual({ members: 6, changes: 2 });
    await content().remove(id, undefined, moment());
    expect(await counter()).toEqual({ members: 5, changes: 3 });
    await put({ ...counterKey(list(), 0), members: 5 });
    await aNewItem();
    expect(await counter()).toEqual({ members: 6, changes: 1 });
    expect((await checker().check()).inconsistencies).toEqual([]);
  });

  it.each([1, 2])(
    'stays as it is when it is correct and an item exists only while the members are counted (%i times)',
    async (times) => {
      let id = '';
      let created = 0;
      const others = {
        before: async () => {
          created += 1;
          ({ id } = await aNewItem(`passing-${created}`));
        },
        after: () => content().remove(id, undefined, moment()),
      };
      const checked = contentCheck(interrupted(isCount, others, times), engine.names.content);
      expect(await checked.check()).toMatchObject({ inconsistencies: [], busy: [] });
      const stale = { kind: 'miscounted bucket', list: list(), bucket: 0, counter: 5, members: 6 } as const;
      expect(await repair({ ...stale, changes: 1 }, interrupted(isCount, others, times))).toBe(true);
      expect(await counter()).toMatchObject({ members: 5 });
      expect((await checker().check()).inconsistencies).toEqual([]);
    },
  );

  it('is recounted when an item is created between the recount and the repair', async () => {
    await addToCounter(4);
    const isRepair = (command: string) => command === 'TransactWriteItemsCommand';
    const { inconsistencies } = await checker().check();
    expect(inconsistencies).toMatchObject([{ kind: 'miscounted bucket', counter: 9, members: 5 }]);
    const client = interrupted(isRepair, { before: () => aNewItem() });
    for (const found of inconsistencies) expect(await repair(found, client)).toBe(true);
    expect(await counter()).toMatchObject({ members: 6 });
    expect((await checker().check()).inconsistencies).toEqual([]);
  });

  it('is reported as busy and not repaired when it changes during every count', async () => {
    const changing = () => interrupted(isCount, { before: () => addToCounter(1) }, Number.POSITIVE_INFINITY);
    const report = await contentCheck(changing(), engine.names.content).check();
    expect(report).toMatchObject({ inconsistencies: [], busy: [{ list: list(), bucket: 0 }] });
    const stale = { kind: 'miscounted bucket', list: list(), bucket: 0, counter: 5, members: 6 } as const;
    expect(await repair({ ...stale, changes: 1 }, changing())).toBe(false);
    await put({ ...counterKey(list(), 0), members: 5 });
  });
});

describe('A check during whose scan items change', () => {
  const scan = async () =>
    (await engine.client.send(new ScanCommand({ TableName: engine.names.content, ConsistentRead: true }))).Items ?? [];
  const isAllocator = ({ sk }: ReturnType<typeof itemKey>) => sk === 'head';

  it.each([
    ['of everything', () => true],
    ['of the position allocators', isAllocator],
    ['of all but the position allocators', (entry: ReturnType<typeof itemKey>) => !isAllocator(entry)],
  ])('raises no false alarm after an early read %s', async (_what, isEarly) => {
    const early = await scan();
    await aNewItem();
    await content().remove(items[0]?.id ?? '', undefined, moment());
    await content().update(items[1]?.id ?? '', { domain: `to.${domain}` }, undefined, moment());
    await content().update(items[2]?.id ?? '', { slug: 'another' }, undefined, moment());
    const Items = [...early.filter(isEarly), ...(await scan()).filter((entry) => !isEarly(entry))];
    const client = clientOf(engine.endpoint);
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const answer = await next(args);
          return commandName === 'ScanCommand' ? { ...answer, output: { ...answer.output, Items } } : answer;
        },
      { step: 'initialize' },
    );
    clients.push(client);
    expect((await contentCheck(client, engine.names.content).check()).inconsistencies).toEqual([]);
  });
});

describe('A repair of an out-of-date report', () => {
  it('changes nothing that is consistent', async () => {
    const [item] = items;
    const { positions } = (await content().find(item?.id ?? '')) ?? {};
    const member = { list: list(), position: positions?.domain ?? -1, id: item?.id ?? '' };
    const claim = { domain, slug: item?.slug ?? '', id: item?.id ?? '' };
    const consistent: Inconsistency[] = [
      { kind: 'orphaned member', ...member },
      { kind: 'missing member', ...member },
      { kind: 'orphaned slug claim', ...claim },
      { kind: 'missing slug claim', ...claim },
      { kind: 'allocator behind', list: list(), allocated: 5 },
    ];
    const before = await counter();
    for (const found of consistent) expect(await repair(found)).toBe(false);
    expect(await counter()).toEqual(before);
    await content().remove(item?.id ?? '', undefined, moment());
    for (const found of consistent) expect(await repair(found)).toBe(false);
    expect((await checker().check()).inconsistencies).toEqual([]);
  });
});

import {
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  type QueryCommandInput,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { itemKey, slugKey } from '../../functions/content/content-items.ts';
import { contentTable } from '../../functions/content/content-table.ts';
import type { ContentItem } from '../../functions/content/item.ts';
import { counterKey, headKey, memberKey } from '../../functions/counted-list/entries.ts';
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
  engine.client.send(new DeleteItemCommand({ TableName: engine.names.content, Key }));
const put = (Item: ReturnType<typeof itemKey>) =>
  engine.client.send(new PutItemCommand({ TableName: engine.names.content, Item }));
const list = () => `domain:${domain}`;

/** Damage to the content of this round, and what a check calls it. */
const damages: readonly (readonly [string, () => Promise<unknown>, string[]])[] = [
  ['a lost member', () => drop(memberKey(list(), 2)), ['missing member', 'miscounted bucket']],
  [
    'a member of nobody',
    () => put({ ...memberKey(list(), 77), member: { S: 'nobody' } }),
    ['stray member', 'head behind', 'miscounted bucket'],
  ],
  ['a lost slug', () => drop(slugKey(domain, 'item-1')), ['unheld slug']],
  ['a slug held for nobody', () => put({ ...slugKey(domain, 'free'), id: { S: 'nobody' } }), ['stray slug']],
  ['a wrong counter', () => put({ ...counterKey(list(), 0), members: { N: '9' } }), ['miscounted bucket']],
  ['a lost counter', () => drop(counterKey(list(), 0)), ['miscounted bucket']],
  ['a head that fell behind', () => drop(headKey(list())), ['head behind']],
  ['an item that vanished', () => drop(itemKey(items[0]?.id ?? '')), ['stray slug', 'stray member', 'stray member']],
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
    expect(total).toBe(_what === 'an item that vanished' ? 4 : 5);
  });

  it.each([
    ['missing member', () => ({ position: 2, id: items[2]?.id ?? '' })],
    ['stray member', () => ({ position: 3, id: 'nobody' })],
  ] as const)('repairs a %s and its bucket though the answer was lost', async (kind, membership) => {
    const faults = await startFaultProxy(engine.endpoint);
    const db = clientOf(faults.endpoint);
    const { position, id } = membership();
    if (kind === 'stray member') await put({ ...memberKey(list(), position), member: { S: id } });
    else await drop(memberKey(list(), position));
    await put({ ...counterKey(list(), 0), members: { N: '9' } });
    faults.inject(forOperation('TransactWriteItems', onNthCall(1, 'resetAfter')));
    expect(await repair({ kind, list: list(), position, id }, db)).toBe(true);
    db.destroy();
    await faults.close();
    const left = (await checker().check()).inconsistencies;
    // What stood at the stray member's place was lost when the stray was put there.
    expect(left.map((found) => found.kind)).toEqual(kind === 'stray member' ? ['missing member'] : []);
    for (const found of left) expect(await repair(found)).toBe(true);
    expect((await checker().check()).inconsistencies).toEqual([]);
  });

  it('leaves a slug that two items claim to a person', async () => {
    const [first] = items;
    const setSlug = (slug: string) =>
      engine.client.send(
        new UpdateItemCommand({
          TableName: engine.names.content,
          Key: itemKey(first?.id ?? ''),
          UpdateExpression: 'SET slug = :slug',
          ExpressionAttributeValues: { ':slug': { S: slug } },
        }),
      );
    await setSlug('item-0');
    const { inconsistencies } = await checker().check();
    const unheld = inconsistencies.find(({ kind }) => kind === 'unheld slug');
    expect(unheld).toMatchObject({ slug: 'item-0', id: first?.id });
    expect(unheld && (await repair(unheld))).toBe(false);
    await setSlug(first?.slug ?? '');
  });
});

/** A client at which others act before and after a request, when the request is of this kind. */
const overtaken = (
  isMeant: (command: string, input: object) => boolean,
  others: { before?: () => Promise<unknown>; after?: () => Promise<unknown> },
  times = 1,
) => {
  const client = clientOf(engine.endpoint);
  let left = times;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const isHeld = left > 0 && isMeant(commandName, args.input);
        if (isHeld) left -= 1;
        if (isHeld) await others.before?.();
        const answer = await next(args);
        if (isHeld) await others.after?.();
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
    new GetItemCommand({ TableName: engine.names.content, Key, ConsistentRead: true }),
  );
  return { members: Item?.members?.N, changes: Item?.changes?.N };
};
const addToCounter = (members: number) =>
  engine.client.send(
    new UpdateItemCommand({
      TableName: engine.names.content,
      Key: counterKey(list(), 0),
      UpdateExpression: 'ADD members :members',
      ExpressionAttributeValues: { ':members': { N: String(members) } },
    }),
  );

const isCount = (command: string, input: object): boolean => {
  const { Select, ExpressionAttributeValues } = input as QueryCommandInput;
  const partition = ExpressionAttributeValues?.[':pk']?.S;
  return command === 'QueryCommand' && Select === 'COUNT' && partition === memberKey(list(), 0).pk?.S;
};

describe('A counter', () => {
  it('has a change number that grows with each change, also from a counter that had none', async () => {
    expect(await counter()).toEqual({ members: '5', changes: '1' });
    const { id } = await aNewItem();
    expect(await counter()).toEqual({ members: '6', changes: '2' });
    await content().remove(id, undefined, moment());
    expect(await counter()).toEqual({ members: '5', changes: '3' });
    await put({ ...counterKey(list(), 0), members: { N: '5' } });
    await aNewItem();
    expect(await counter()).toEqual({ members: '6', changes: '1' });
    expect((await checker().check()).inconsistencies).toEqual([]);
  });

  it.each([1, 2])(
    'is left alone that is correct, when an item comes before and goes after the members are counted (%i times)',
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
      const checked = contentCheck(overtaken(isCount, others, times), engine.names.content);
      expect(await checked.check()).toMatchObject({ inconsistencies: [], busy: [] });
      const stale = { kind: 'miscounted bucket', list: list(), bucket: 0, counter: 5, members: 6 } as const;
      expect(await repair({ ...stale, changes: 1 }, overtaken(isCount, others, times))).toBe(true);
      expect(await counter()).toMatchObject({ members: '5' });
      expect((await checker().check()).inconsistencies).toEqual([]);
    },
  );

  it('is recounted when an item comes between the recount and the repair', async () => {
    await addToCounter(4);
    const isRepair = (command: string) => command === 'TransactWriteItemsCommand';
    const { inconsistencies } = await checker().check();
    expect(inconsistencies).toMatchObject([{ kind: 'miscounted bucket', counter: 9, members: 5 }]);
    const client = overtaken(isRepair, { before: () => aNewItem() });
    for (const found of inconsistencies) expect(await repair(found, client)).toBe(true);
    expect(await counter()).toMatchObject({ members: '6' });
    expect((await checker().check()).inconsistencies).toEqual([]);
  });

  it('that changes during every count is reported as busy, and left alone', async () => {
    const changing = () => overtaken(isCount, { before: () => addToCounter(1) }, Number.POSITIVE_INFINITY);
    const report = await contentCheck(changing(), engine.names.content).check();
    expect(report).toMatchObject({ inconsistencies: [], busy: [{ list: list(), bucket: 0 }] });
    const stale = { kind: 'miscounted bucket', list: list(), bucket: 0, counter: 5, members: 6 } as const;
    expect(await repair({ ...stale, changes: 1 }, changing())).toBe(false);
    await put({ ...counterKey(list(), 0), members: { N: '5' } });
  });
});

describe('A check whose scan is overtaken', () => {
  const scan = async () =>
    (await engine.client.send(new ScanCommand({ TableName: engine.names.content, ConsistentRead: true }))).Items ?? [];
  const isHead = ({ sk }: ReturnType<typeof itemKey>) => sk?.S === 'head';

  it.each([
    ['of everything', () => true],
    ['of the heads', isHead],
    ['of all but the heads', (entry: ReturnType<typeof itemKey>) => !isHead(entry)],
  ])('by creates, moves and deletes is no reason for a false alarm: an early read %s', async (_what, isEarly) => {
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

describe('A repair that is overtaken', () => {
  it('changes nothing that is consistent by now', async () => {
    const [item] = items;
    const { positions } = (await content().find(item?.id ?? '')) ?? {};
    const member = { list: list(), position: positions?.domain ?? -1, id: item?.id ?? '' };
    const holding = { domain, slug: item?.slug ?? '', id: item?.id ?? '' };
    const consistent: Inconsistency[] = [
      { kind: 'stray member', ...member },
      { kind: 'missing member', ...member },
      { kind: 'stray slug', ...holding },
      { kind: 'unheld slug', ...holding },
      { kind: 'head behind', list: list(), allocated: 5 },
    ];
    const before = await counter();
    for (const found of consistent) expect(await repair(found)).toBe(false);
    expect(await counter()).toEqual(before);
    await content().remove(item?.id ?? '', undefined, moment());
    for (const found of consistent) expect(await repair(found)).toBe(false);
    expect((await checker().check()).inconsistencies).toEqual([]);
  });
});

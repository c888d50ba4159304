import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contentCheck } from '../../functions/content/content-check.ts';
import { itemKey, slugKey } from '../../functions/content/content-items.ts';
import { contentTable } from '../../functions/content/content-table.ts';
import type { ContentItem } from '../../functions/content/item.ts';
import { counterKey, headKey, memberKey } from '../../functions/counted-list/entries.ts';
import { fillDomain, moment } from '../support/content.ts';
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
  it('finds nothing wrong with sound content', async () => {
    expect((await checker().check()).faults).toEqual([]);
  });

  it.each(damages)('finds %s and mends it', async (_what, damage, kinds) => {
    await damage();
    const { faults } = await checker().check();
    expect(faults.map(({ kind }) => kind).sort()).toEqual(kinds.toSorted());
    for (const fault of faults) expect(await checker().mend(fault)).toBe(true);
    expect((await checker().check()).faults).toEqual([]);
    const { total } = await content().list({ domain }, { offset: 0, limit: 1 }, moment().deadline);
    expect(total).toBe(_what === 'an item that vanished' ? 4 : 5);
  });

  it.each([
    ['missing member', 'PutItem', () => ({ position: 2, id: items[2]?.id ?? '' })],
    ['stray member', 'DeleteItem', () => ({ position: 77, id: 'nobody' })],
  ] as const)(
    'counts the bucket again when it mended a %s without learning so',
    async (kind, operation, membership) => {
      const faults = await startFaultProxy(engine.endpoint);
      const db = clientOf(faults.endpoint);
      const { position, id } = membership();
      if (kind === 'stray member') await put({ ...memberKey(list(), position), member: { S: id } });
      else await drop(memberKey(list(), position));
      await put({ ...counterKey(list(), 0), members: { N: '9' } });
      faults.inject(forOperation(operation, onNthCall(1, 'resetAfter')));
      expect(await contentCheck(db, engine.names.content).mend({ kind, list: list(), position, id })).toBe(false);
      db.destroy();
      await faults.close();
      expect((await checker().check()).faults).toEqual([]);
    },
  );

  it('leaves a slug that two items claim to a person', async () => {
    const [first] = items;
    await engine.client.send(
      new UpdateItemCommand({
        TableName: engine.names.content,
        Key: itemKey(first?.id ?? ''),
        UpdateExpression: 'SET slug = :slug',
        ExpressionAttributeValues: { ':slug': { S: 'item-0' } },
      }),
    );
    const { faults } = await checker().check();
    const unheld = faults.find(({ kind }) => kind === 'unheld slug');
    expect(unheld).toMatchObject({ slug: 'item-0', id: first?.id });
    expect(unheld && (await checker().mend(unheld))).toBe(false);
    await content()
      .update(first?.id ?? '', { slug: 'its-own' }, undefined, moment())
      .catch(() => undefined);
  });
});

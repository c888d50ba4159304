import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CONTENT_PREFIX } from '../../core/content/content-entries.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import type { Call } from '../support/api.ts';
import { testApi } from '../support/test-api.ts';

const PATH = '/v1/api/content';
const api = testApi();
let testKey: string;
beforeAll(async () => {
  testKey = await api.newKey({ environment: 'test' });
});

const item = (domain: string, slug = 'first') => ({ title: 'Title', content: 'Text', domain, slug });
const asLive = (method: string, path: string, options: Call = {}) =>
  api.call(method, path, { key: api.key, ...options });
const asTest = (method: string, path: string, options: Call = {}) =>
  api.call(method, path, { key: testKey, ...options });
const both = [asLive, asTest] as const;
type As = (typeof both)[number];

const create = async (as: As, domain: string, slug?: string, headers: Record<string, string> = {}) => {
  const { status, body } = await as('POST', PATH, { json: item(domain, slug), headers });
  expect(status).toBe(201);
  return body as ContentItem;
};
const listOf = async (as: As, query: string) =>
  (await as('GET', `${PATH}?${query}`)).body as { items: ContentItem[]; total: number };
const entries = async () => {
  const { client, names } = api.engine;
  const { Items = [] } = await client.send(new ScanCommand({ TableName: names.content, ConsistentRead: true }));
  return Items as { pk: string }[];
};

describe('Content of live and of test keys', () => {
  it('may have the same slug in the same domain, once each', async () => {
    const [live, test] = [await create(asLive, 'same.example'), await create(asTest, 'same.example')];
    expect(live.id).not.toBe(test.id);
    for (const as of both) {
      expect((await as('POST', PATH, { json: item('same.example') })).body).toMatchObject({ code: 'SLUG_TAKEN' });
    }
    for (const [as, own] of [
      [asLive, live],
      [asTest, test],
    ] as const) {
      expect(await listOf(as, 'domain=same.example&slug=first')).toMatchObject({ items: [own], total: 1 });
    }
  });

  it('is listed separately, with separate totals', async () => {
    const live = [await create(asLive, 'lists.example', 'a'), await create(asLive, 'lists.example', 'b')];
    const test = await create(asTest, 'lists.example', 'c');
    expect(await listOf(asLive, 'domain=lists.example')).toMatchObject({ items: live.toReversed(), total: 2 });
    expect(await listOf(asTest, 'domain=lists.example')).toMatchObject({ items: [test], total: 1 });
    const [all, sandbox] = [await listOf(asLive, 'limit=100'), await listOf(asTest, 'limit=100')];
    const liveIds = new Set(all.items.map(({ id }) => id));
    expect(sandbox.items.filter(({ id }) => liveIds.has(id))).toEqual([]);
    expect([all.total, sandbox.total]).toEqual([all.items.length, sandbox.items.length]);
  });

  it.each([
    ['live', asLive, asTest],
    ['test', asTest, asLive],
  ])(
    'is 404 for the keys of the other environment, whatever the method: an item of a %s key',
    async (_, own, other) => {
      const { id } = await create(own, `${own === asLive ? 'live' : 'test'}-only.example`);
      const asked = [
        await other('GET', `${PATH}/${id}`),
        await other('PUT', `${PATH}/${id}`, { json: { title: 'Other' } }),
        await other('DELETE', `${PATH}/${id}`),
      ];
      for (const { body } of asked) expect(body).toMatchObject({ status: 404, code: 'CONTENT_NOT_FOUND' });
      expect((await own('GET', `${PATH}/${id}`)).body).toMatchObject({ title: 'Title', version: 1 });
    },
  );

  it('has separate Idempotency-Keys', async () => {
    const headers = { 'Idempotency-Key': 'the same' };
    const live = await create(asLive, 'idempotent.example', 'one', headers);
    const test = await create(asTest, 'idempotent.example', 'one', headers);
    expect(test.id).not.toBe(live.id);
    expect(await create(asLive, 'idempotent.example', 'one', headers)).toEqual(live);
    expect(await create(asTest, 'idempotent.example', 'one', headers)).toEqual(test);
  });

  it('is moved, changed and deleted without any effect on the other', async () => {
    const before = await listOf(asLive, 'limit=100');
    const { id } = await create(asTest, 'from.example');
    const moved = await asTest('PUT', `${PATH}/${id}`, { json: { domain: 'to.example', slug: 'moved' } });
    expect(moved.body).toMatchObject({ domain: 'to.example', version: 2 });
    expect(await listOf(asTest, 'domain=from.example')).toMatchObject({ items: [], total: 0 });
    expect(await listOf(asTest, 'domain=to.example')).toMatchObject({ total: 1 });
    expect((await asTest('DELETE', `${PATH}/${id}`)).status).toBe(204);
    expect(await listOf(asTest, 'domain=to.example')).toMatchObject({ items: [], total: 0 });
    expect(await listOf(asLive, 'limit=100')).toEqual(before);
  });
});

describe('The content table', () => {
  it('has a prefix on every key that a test key writes, and on none that a live key writes', async () => {
    const addedBy = async (as: As) => {
      const before = new Set((await entries()).map(({ pk }) => pk));
      await create(as, 'entries.example', 'one', { 'Idempotency-Key': 'entries' });
      return (await entries()).map(({ pk }) => pk).filter((pk) => !before.has(pk));
    };
    const domain = 'domain:entries.example';
    const kinds = ['counters', 'head', 'idempotency', 'item', 'members', 'slug'];
    const kindsOf = (keys: readonly string[]) => [...new Set(keys.map((pk) => pk.split('#')[0] ?? ''))].sort();
    const [test, live] = [await addedBy(asTest), await addedBy(asLive)];
    expect(live).toEqual(expect.arrayContaining([`head#${domain}`, 'slug#entries.example#one']));
    expect(kindsOf(live)).toEqual(kinds);
    const prefix = CONTENT_PREFIX.test;
    expect(test.filter((pk) => pk.startsWith(prefix))).toEqual(test);
    expect(kindsOf(test.map((pk) => pk.slice(prefix.length)))).toEqual(kinds);
  });

  it('is consistent in both parts', async () => {
    const { client, names } = api.engine;
    const clean = { inconsistencies: [], busy: [] };
    expect(await checkContent(client, names.content)).toMatchObject({ ...clean, sandbox: clean });
  });
});

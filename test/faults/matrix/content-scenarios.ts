import assert from 'node:assert/strict';
import { contentTable } from '../../../functions/content/content-table.ts';
import type { ContentFields, ContentItem } from '../../../functions/content/item.ts';
import type { Reply, TestApi } from '../../support/api.ts';
import { moment } from '../../support/content.ts';
import { type PreparedRequest, readOnly, type Scenario } from './scenario.ts';

const fieldsOf = (word: string, slug = word): ContentFields => ({
  title: `Title ${word}`,
  content: `Text of ${word}`,
  domain: `${word}.example`,
  slug,
  meta_description: `About ${word}`,
});

/** Content past the proxy. */
const stored = (api: TestApi) => {
  const content = contentTable(api.engine.client, api.engine.names.content);
  return {
    create: (fields: ContentFields): Promise<ContentItem> => content.create(fields, undefined, moment()),
    find: async (id: string) => (await content.find(id))?.item,
    bySlug: async ({ domain, slug }: Pick<ContentFields, 'domain' | 'slug'>) =>
      (await content.list({ domain, slug }, { offset: 0, limit: 1 }, moment().deadline)).items[0],
    inDomain: async (domain: string) =>
      (await content.list({ domain }, { offset: 0, limit: 100 }, moment().deadline)).items,
  };
};

const itemIn = ({ body }: Reply) => body as ContentItem;
const pageIn = ({ body }: Reply) => body as { items: ContentItem[]; total: number };

const reading = (
  name: string,
  query: (item: ContentItem) => string,
  page: (newest: ContentItem, older: ContentItem) => { items: ContentItem[]; total: number },
): Scenario => ({
  name,
  endpoint: 'list-content',
  prepare: async (api, word) => {
    const key = await api.newKey({ name: word });
    const older = await stored(api).create(fieldsOf(word, `${word}-older`));
    const item = await stored(api).create(fieldsOf(word));
    return {
      ...readOnly,
      key,
      ids: [item.id, older.id],
      status: 200,
      send: () => api.call('GET', `/v1/api/content?${query(item)}`, { key }),
      requireExpected: (reply) => assert.partialDeepStrictEqual(pageIn(reply), page(item, older)),
    };
  },
});

const updating = (name: string, changesFor: (word: string) => Partial<ContentFields>): Scenario => ({
  name,
  endpoint: 'update-content',
  prepare: async (api, word) => {
    const key = await api.newKey({ name: word });
    const content = stored(api);
    const before = await content.create(fieldsOf(word));
    const changes = changesFor(word);
    return {
      key,
      ids: [before.id],
      status: 200,
      send: () => api.call('PUT', `/v1/api/content/${before.id}`, { key, json: changes }),
      requireExpected: (reply) => {
        const now = itemIn(reply);
        assert.deepEqual(now, { ...before, ...changes, version: now.version, updated_at: now.updated_at });
        assert.ok(now.version > before.version, 'the version was not raised');
      },
      isStored: async () => (await content.find(before.id)) !== undefined,
      requireWhole: async (answers) => {
        const now = await content.find(before.id);
        const last = answers.at(-1);
        if (last?.status === 200) assert.deepEqual(now, itemIn(last), 'stored is not what was acknowledged');
        else if (now?.version === 1) assert.deepEqual(now, before, 'half an update is stored');
        else assert.partialDeepStrictEqual(now, { ...before, ...changes, version: 2, updated_at: now?.updated_at });
        // An update that was acknowledged at once was applied once.
        if (answers.length === 1 && last?.status === 200) assert.equal(now?.version, 2, 'applied more than once');
        assert.deepEqual(await content.bySlug(now ?? before), now, 'the slug is not held');
      },
    };
  },
});

const requireCreatedOnce = async (
  content: ReturnType<typeof stored>,
  fields: ContentFields,
  answers: readonly Reply[],
): Promise<void> => {
  const items = await content.inDomain(fields.domain);
  const acknowledged = answers.filter(({ status }) => status === 201).map(itemIn);
  assert.ok(items.length <= 1, `${items.length} items of one creation`);
  if (items[0]) assert.partialDeepStrictEqual(items[0], fields);
  for (const item of acknowledged) assert.deepEqual(items, [item], 'stored is not what was acknowledged');
  assert.deepEqual(await content.bySlug(fields), items[0], 'the slug is not held');
};

const requireRemoved = async (
  content: ReturnType<typeof stored>,
  before: ContentItem,
  answers: readonly Reply[],
): Promise<void> => {
  const now = await content.find(before.id);
  const isAcknowledged = answers.some(({ status }) => status === 204 || status === 404);
  if (isAcknowledged) assert.equal(now, undefined, 'deleted, yet there');
  else if (now !== undefined) assert.deepEqual(now, before, 'half a deletion is stored');
  assert.deepEqual(await content.bySlug(before), now, 'the slug is held without its item, or not held');
};

export const contentScenarios: readonly Scenario[] = [
  // Two items, so that their reading is a batch of which a part can be done.
  reading(
    'list of a domain',
    ({ domain }) => `domain=${domain}`,
    (newest, older) => ({ items: [newest, older], total: 2 }),
  ),
  reading(
    'list by slug',
    ({ domain, slug }) => `domain=${domain}&slug=${slug}`,
    (newest) => ({ items: [newest], total: 1 }),
  ),
  {
    name: 'create',
    endpoint: 'create-content',
    prepare: async (api, word) => {
      const key = await api.newKey({ name: word });
      const content = stored(api);
      const json = fieldsOf(word);
      const headers = { 'Idempotency-Key': `creation ${word}` };
      return {
        key,
        status: 201,
        send: () => api.call('POST', '/v1/api/content', { key, json, headers }),
        requireExpected: (reply) => assert.partialDeepStrictEqual(itemIn(reply), { ...json, version: 1 }),
        isStored: async () => (await content.bySlug(json)) !== undefined,
        requireWhole: (answers) => requireCreatedOnce(content, json, answers),
      } satisfies PreparedRequest;
    },
  },
  {
    name: 'read',
    endpoint: 'read-content',
    prepare: async (api, word) => {
      const key = await api.newKey({ name: word });
      const item = await stored(api).create(fieldsOf(word));
      return {
        ...readOnly,
        key,
        ids: [item.id],
        status: 200,
        send: () => api.call('GET', `/v1/api/content/${item.id}`, { key }),
        requireExpected: (reply) => assert.deepEqual(itemIn(reply), item),
      };
    },
  },
  updating('update', (word) => ({ title: `New title ${word}` })),
  updating('move', (word) => ({ domain: `to-${word}.example`, slug: `to-${word}` })),
  {
    name: 'delete',
    endpoint: 'delete-content',
    prepare: async (api, word) => {
      const key = await api.newKey({ name: word });
      const content = stored(api);
      const before = await content.create(fieldsOf(word));
      return {
        key,
        ids: [before.id],
        status: 204,
        send: () => api.call('DELETE', `/v1/api/content/${before.id}`, { key }),
        requireExpected: ({ text }) => assert.equal(text, ''),
        isStored: async () => (await content.find(before.id)) !== undefined,
        requireWhole: (answers) => requireRemoved(content, before, answers),
      } satisfies PreparedRequest;
    },
  },
];

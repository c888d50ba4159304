/** A request to every endpoint, in every way in which it uses the database. A new lookup is one row of `LOOKUPS`. */
import assert from 'node:assert/strict';
import { contentTable } from '../../../core/content/content-table.ts';
import type { ContentFields, ContentItem } from '../../../core/content/item.ts';
import type { EndpointId } from '../../../functions/endpoints/table.ts';
import type { endpoint as notFound } from '../../../functions/not-found/endpoint.ts';
import type { Reply, TestApi } from '../../support/api.ts';
import { moment } from '../../support/content.ts';
import { aCompliance, aPolicy, aVehicle } from '../../support/records.ts';

/** One request about records that no other request uses. */
export interface PreparedRequest {
  /** Ids of stored items that it names. */
  readonly ids?: readonly string[];
  /** The status without a fault. */
  readonly status: number;
  readonly send: () => Promise<Reply>;
  /** Checks a response with that status. @throws AssertionError */
  readonly requireExpected: (reply: Reply) => void;
  /** Whether what is asked for exists; reads around the proxy, as `requireWhole` does. */
  readonly isStored: () => Promise<boolean>;
  /** An acknowledged change is stored, a failed one is applied completely or not at all. @throws AssertionError */
  readonly requireWhole: (replies: readonly Reply[]) => Promise<void>;
}

export interface Scenario {
  readonly name: string;
  readonly endpoint: EndpointId | typeof notFound.id;
  readonly isBulk?: boolean;
  /** @param word lower-case letters and digits that all records and the request contain */
  readonly prepare: (api: TestApi, word: string, key: string) => Promise<PreparedRequest>;
}

const readOnly = { isStored: async () => true, requireWhole: async () => undefined };

/** Registrations of a bulk request: one full batch and a second one. */
export const BULK_SIZE = 102;

interface Lookup {
  readonly endpoint: EndpointId;
  readonly path: (word: string) => string;
  /** Part of the response, or of one result in bulk. */
  readonly body: (word: string) => object;
  readonly isBulk?: boolean;
}

const insured = (registration: string) => ({ registration, insured: true, policy: { number: registration } });
const compliant = (registration: string) => ({ registration, compliant: true, reasons: [] });

const LOOKUPS: readonly Lookup[] = [
  { endpoint: 'vehicle-insurance', path: (word) => `/v1/vehicle/${word}/insurance`, body: insured },
  { endpoint: 'bulk-insurance', path: () => '/v1/vehicle/bulk-insurance', body: insured, isBulk: true },
  { endpoint: 'compliance', path: (word) => `/v1/compliance/${word}`, body: compliant },
  { endpoint: 'bulk-compliance', path: () => '/v1/vehicle/bulk-compliance', body: compliant, isBulk: true },
  { endpoint: 'usage', path: () => '/v1/usage', body: (name) => ({ key: { name, plan: 'premium' } }) },
];

const lookupScenario = ({ endpoint, path, body, isBulk = false }: Lookup): Scenario => ({
  name: endpoint,
  endpoint,
  isBulk,
  prepare: async (api, word, key) => {
    const registrations = isBulk ? Array.from({ length: BULK_SIZE }, (_, index) => `${word}${index}`) : [word];
    await api.loadVehicles(
      ...registrations.map((plate) => aVehicle(plate.toUpperCase(), [aPolicy({ number: plate })])),
    );
    await api.loadCompliance(...registrations.map((plate) => aCompliance(plate.toUpperCase())));
    const expected = isBulk
      ? { processed: BULK_SIZE, successful: BULK_SIZE, failed: 0, results: registrations.map(body) }
      : body(word);
    return {
      ...readOnly,
      status: 200,
      send: () => api.call(isBulk ? 'POST' : 'GET', path(word), { key, ...(isBulk && { json: { registrations } }) }),
      requireExpected: (reply) => assert.partialDeepStrictEqual(reply.body, expected),
    };
  },
});

const fieldsOf = (word: string, slug = word): ContentFields => ({
  title: `Title ${word}`,
  content: `Text of ${word}`,
  domain: `${word}.example`,
  slug,
  meta_description: `About ${word}`,
});

/** Content, around the proxy. */
const stored = (api: TestApi) => {
  const content = contentTable(api.engine.client, api.engine.names.content, 'live');
  const list = async (filter: { domain: string; slug?: string }) =>
    (await content.list(filter, { offset: 0, limit: 100 }, moment().deadline)).items;
  return {
    create: (fields: ContentFields): Promise<ContentItem> => content.create(fields, undefined, moment()),
    find: async (id: string) => (await content.find(id))?.item,
    bySlug: async ({ domain, slug }: Pick<ContentFields, 'domain' | 'slug'>) => (await list({ domain, slug }))[0],
    inDomain: (domain: string) => list({ domain }),
  };
};

const itemIn = ({ body }: Reply) => body as ContentItem;

/** Two items are stored, so that a list reads a batch that can be partial. */
const reading = (
  name: string,
  endpoint: EndpointId,
  path: (item: ContentItem) => string,
  expected: (item: ContentItem, older: ContentItem) => object,
): Scenario => ({
  name,
  endpoint,
  prepare: async (api, word, key) => {
    const older = await stored(api).create(fieldsOf(word, `${word}-older`));
    const item = await stored(api).create(fieldsOf(word));
    return {
      ...readOnly,
      ids: [item.id, older.id],
      status: 200,
      send: () => api.call('GET', `/v1/api/content${path(item)}`, { key }),
      requireExpected: ({ body }) => assert.partialDeepStrictEqual(body, expected(item, older)),
    };
  },
});

const updating = (name: string, changesFor: (word: string) => Partial<ContentFields>): Scenario => ({
  name,
  endpoint: 'update-content',
  prepare: async (api, word, key) => {
    const content = stored(api);
    const before = await content.create(fieldsOf(word));
    const json = changesFor(word);
    return {
      ids: [before.id],
      status: 200,
      send: () => api.call('PUT', `/v1/api/content/${before.id}`, { key, json }),
      requireExpected: (reply) => {
        const { version, updated_at } = itemIn(reply);
        assert.deepEqual(itemIn(reply), { ...before, ...json, version, updated_at });
        assert.ok(version > before.version, 'the version was not raised');
      },
      isStored: async () => (await content.find(before.id)) !== undefined,
      requireWhole: async (replies) => {
        const now = await content.find(before.id);
        const last = replies.at(-1);
        if (last?.status === 200) assert.deepEqual(now, itemIn(last), 'stored is not what was acknowledged');
        else if (now?.version === 1) assert.deepEqual(now, before, 'half an update is stored');
        else assert.partialDeepStrictEqual(now, { ...before, ...json, version: 2, updated_at: now?.updated_at });
        if (replies.length === 1 && last?.status === 200) assert.equal(now?.version, 2, 'applied more than once');
        assert.deepEqual(await content.bySlug(now ?? before), now, 'the slug is not held');
      },
    };
  },
});

const creating: Scenario = {
  name: 'create',
  endpoint: 'create-content',
  prepare: async (api, word, key) => {
    const content = stored(api);
    const json = fieldsOf(word);
    const headers = { 'Idempotency-Key': `creation ${word}` };
    return {
      status: 201,
      send: () => api.call('POST', '/v1/api/content', { key, json, headers }),
      requireExpected: (reply) => assert.partialDeepStrictEqual(itemIn(reply), { ...json, version: 1 }),
      isStored: async () => (await content.bySlug(json)) !== undefined,
      requireWhole: async (replies) => {
        const items = await content.inDomain(json.domain);
        assert.ok(items.length <= 1, `${items.length} items of one creation`);
        if (items[0]) assert.partialDeepStrictEqual(items[0], json);
        for (const reply of replies.filter(({ status }) => status === 201)) assert.deepEqual(items, [itemIn(reply)]);
        assert.deepEqual(await content.bySlug(json), items[0], 'the slug is not held');
      },
    };
  },
};

const deleting: Scenario = {
  name: 'delete',
  endpoint: 'delete-content',
  prepare: async (api, word, key) => {
    const content = stored(api);
    const before = await content.create(fieldsOf(word));
    return {
      ids: [before.id],
      status: 204,
      send: () => api.call('DELETE', `/v1/api/content/${before.id}`, { key }),
      requireExpected: ({ text }) => assert.equal(text, ''),
      isStored: async () => (await content.find(before.id)) !== undefined,
      requireWhole: async (replies) => {
        const now = await content.find(before.id);
        const isAcknowledged = replies.some(({ status }) => status === 204 || status === 404);
        assert.deepEqual(now, isAcknowledged || now === undefined ? undefined : before, 'half a deletion is stored');
        assert.deepEqual(await content.bySlug(before), now, 'the slug is held without its item, or not held');
      },
    };
  },
};

const unknownPath: Scenario = {
  name: 'unknown path',
  endpoint: '$default',
  prepare: async (api, word, key) => ({
    status: 404,
    send: () => api.call('GET', `/v1/${word}`, { key }),
    requireExpected: ({ body }) => assert.partialDeepStrictEqual(body, { code: 'ROUTE_NOT_FOUND' }),
    isStored: async () => false,
    requireWhole: async () => undefined,
  }),
};

export const scenarios: readonly Scenario[] = [
  ...LOOKUPS.map(lookupScenario),
  reading(
    'list of a domain',
    'list-content',
    ({ domain }) => `?domain=${domain}`,
    (item, older) => ({ items: [item, older], total: 2 }),
  ),
  reading(
    'list by slug',
    'list-content',
    ({ domain, slug }) => `?domain=${domain}&slug=${slug}`,
    (item) => ({ items: [item], total: 1 }),
  ),
  reading(
    'read',
    'read-content',
    ({ id }) => `/${id}`,
    (item) => item,
  ),
  creating,
  updating('update', (word) => ({ title: `New title ${word}` })),
  updating('move', (word) => ({ domain: `to-${word}.example`, slug: `to-${word}` })),
  deleting,
  unknownPath,
];

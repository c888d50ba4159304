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
  /** Another status that is right when the request has been applied before. */
  readonly repeatedStatus?: number;
  readonly send: () => Promise<Reply>;
  /** Checks a response with that status. @throws AssertionError */
  readonly requireExpected: (reply: Reply, isRepeated: boolean) => void;
}

export interface Scenario {
  readonly name: string;
  readonly endpoint: EndpointId | typeof notFound.id;
  readonly isBulk?: boolean;
  /** @param word lower-case letters and digits that all records and the request contain */
  readonly prepare: (api: TestApi, word: string, key: string) => Promise<PreparedRequest>;
}

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
      status: 200,
      send: () => api.call(isBulk ? 'POST' : 'GET', path(word), { key, ...(isBulk && { json: { registrations } }) }),
      requireExpected: (reply) => assert.partialDeepStrictEqual(reply.body, expected),
    };
  },
});

const CONTENT = '/v1/api/content';
const fieldsOf = (word: string, slug = word): ContentFields => ({
  ...{ title: `Title ${word}`, content: `Text of ${word}`, domain: `${word}.example`, slug },
  meta_description: `About ${word}`,
});

/** Stores an item around the proxy. */
const store = ({ engine }: TestApi, fields: ContentFields): Promise<ContentItem> =>
  contentTable(engine.client, engine.names.content, 'live').create(fields, undefined, moment());

/** Two items are stored, so that a list reads a batch that can be partial. */
const reading = (
  endpoint: EndpointId,
  name: string,
  pathOf: (item: ContentItem) => string,
  expected: (item: ContentItem, older: ContentItem) => object,
): Scenario => ({
  name,
  endpoint,
  prepare: async (api, word, key) => {
    const older = await store(api, fieldsOf(word, `${word}-older`));
    const item = await store(api, fieldsOf(word));
    return {
      ids: [item.id, older.id],
      status: 200,
      send: () => api.call('GET', CONTENT + pathOf(item), { key }),
      requireExpected: ({ body }) => assert.partialDeepStrictEqual(body, expected(item, older)),
    };
  },
});

const updating = (name: string, changesFor: (word: string) => Partial<ContentFields>): Scenario => ({
  name,
  endpoint: 'update-content',
  prepare: async (api, word, key) => {
    const before = await store(api, fieldsOf(word));
    const json = changesFor(word);
    return {
      ids: [before.id],
      status: 200,
      send: () => api.call('PUT', `${CONTENT}/${before.id}`, { key, json }),
      requireExpected: (reply, isRepeated) => {
        const { version, updated_at, ...item } = reply.body as ContentItem;
        assert.deepEqual({ ...before, ...json, version, updated_at }, { ...item, version, updated_at });
        assert.ok(version === 2 || (isRepeated && version > 2), `version ${version}`);
      },
    };
  },
});

const creating: Scenario = {
  name: 'create',
  endpoint: 'create-content',
  prepare: async (api, word, key) => {
    const json = fieldsOf(word);
    const headers = { 'Idempotency-Key': `creation ${word}` };
    return {
      status: 201,
      send: () => api.call('POST', CONTENT, { key, json, headers }),
      requireExpected: ({ body }) => assert.partialDeepStrictEqual(body, { ...json, version: 1 }),
    };
  },
};

const deleting: Scenario = {
  name: 'delete',
  endpoint: 'delete-content',
  prepare: async (api, word, key) => {
    const { id } = await store(api, fieldsOf(word));
    return {
      ids: [id],
      status: 204,
      repeatedStatus: 404,
      send: () => api.call('DELETE', `${CONTENT}/${id}`, { key }),
      requireExpected: ({ text }) => assert.equal(text, ''),
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
  }),
};

const ofDomain = ({ domain }: ContentItem) => `?domain=${domain}`;
const bySlug = ({ domain, slug }: ContentItem) => `?domain=${domain}&slug=${slug}`;

export const scenarios: readonly Scenario[] = [
  ...LOOKUPS.map(lookupScenario),
  reading('list-content', 'list of a domain', ofDomain, (item, older) => ({ items: [item, older], total: 2 })),
  reading('list-content', 'list by slug', bySlug, (item) => ({ items: [item], total: 1 })),
  reading(
    'read-content',
    'read',
    ({ id }) => `/${id}`,
    (item) => item,
  ),
  creating,
  updating('update', (word) => ({ title: `New title ${word}` })),
  updating('move', (word) => ({ domain: `to-${word}.example`, slug: `to-${word}` })),
  deleting,
  unknownPath,
];

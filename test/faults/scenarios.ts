/** A request to every endpoint, in every way in which it uses the database. A new endpoint is a row. */
import type { KeyRecord } from '../../core/access/key-record.ts';
import { contentTable } from '../../core/content/content-table.ts';
import type { ContentItem } from '../../core/content/item.ts';
import type { EndpointId } from '../../functions/endpoints/table.ts';
import type { endpoint as notFound } from '../../functions/not-found/endpoint.ts';
import { moment, someFields } from '../support/content.ts';
import { aCompliance, aPolicy, aVehicle, TEST_PLANS } from '../support/records.ts';
import { liveId, type TestApi } from '../support/use-api.ts';

/** Two items of one domain, so that a list reads a batch that can be partial. */
interface Items {
  readonly item: ContentItem;
  readonly older: ContentItem;
}

/** `word` is in all records and in the request: lower-case letters and digits. */
export interface Scenario {
  readonly endpoint: EndpointId | typeof notFound.id;
  readonly stored: 'vehicles' | 'items' | 'nothing';
  /** Fields of the key, which otherwise has every scope, no addresses and no allowance. */
  readonly key?: Partial<KeyRecord>;
  /** `GET` unless it is given. */
  readonly method?: string;
  readonly path: (word: string, item: ContentItem) => string;
  readonly json?: (word: string) => object;
  /** The status without a fault: 200 unless it is given. */
  readonly status?: number;
  /** Another status that is right when the request has been applied before. */
  readonly repeatedStatus?: number;
  /** Part of the response without a fault. */
  readonly body?: (word: string, items: Items) => object;
}

/**
 * Registrations of a bulk request, with a last batch of two: the second batch of insurance, and the third one of
 * compliance, each of whose keys is read from two tables.
 */
const BULK_SIZE = 102;
const bulkOf = (word: string): string[] => Array.from({ length: BULK_SIZE }, (_, index) => `${word}${index}`);
const registrations = (word: string) => ({ registrations: bulkOf(word) });

const insured = (registration: string) => ({ registration, insured: true, policy: { number: registration } });
const compliant = (registration: string) => ({ registration, compliant: true, reasons: [] });

const CONTENT = '/v1/api/content';
const byId = (_: string, { id }: ContentItem): string => `${CONTENT}/${id}`;
const fieldsOf = (word: string, slug = word) => ({
  ...someFields(`${word}.example`, slug),
  content: `Text of ${word}`,
  meta_description: `About ${word}`,
});
const vehicles = { stored: 'vehicles' } as const;
const items = { stored: 'items' } as const;
const bulk = (endpoint: 'bulk-insurance' | 'bulk-compliance') =>
  ({ ...vehicles, endpoint, method: 'POST', path: () => `/v1/vehicle/${endpoint}`, json: registrations }) as const;
const list = (filter = (_: string) => '') =>
  ({
    ...items,
    endpoint: 'list-content',
    path: (word: string) => `${CONTENT}?domain=${word}.example${filter(word)}`,
  }) as const;
const create = { stored: 'nothing', endpoint: 'create-content', method: 'POST', path: () => CONTENT } as const;
const update = (json: (word: string) => object): Scenario => {
  const body: Scenario['body'] = (word, { item }) => ({ id: item.id, ...json(word), version: 2 });
  return { ...items, endpoint: 'update-content', method: 'PUT', path: byId, json, body };
};

/** The plans of the scenarios. One has an allowance that is taken for each request. */
export const SCENARIO_PLANS = { ...TEST_PLANS, exact: { ...TEST_PLANS.premium, unitsPerDay: 1_000 } };

export const scenarios: readonly Scenario[] = [
  { ...vehicles, endpoint: 'vehicle-insurance', path: (word) => `/v1/vehicle/${word}/insurance`, body: insured },
  {
    ...vehicles,
    endpoint: 'vehicle-insurance',
    path: (word) => `/v1/vehicle/${word}/insurance`,
    key: { addresses: ['127.0.0.0/8'], scopes: ['vehicles:status'] },
    body: (registration) => ({ registration, insured: true, status: 'IN_FORCE' }),
  },
  {
    ...vehicles,
    endpoint: 'vehicle-insurance',
    path: (word) => `/v1/vehicle/${word}/insurance`,
    key: { plan: 'exact' },
    body: insured,
  },
  { ...vehicles, endpoint: 'compliance', path: (word) => `/v1/compliance/${word}`, body: compliant },
  { ...bulk('bulk-insurance'), body: (word) => ({ results: bulkOf(word).map(insured) }) },
  { ...bulk('bulk-insurance'), key: { plan: 'exact' }, body: (word) => ({ results: bulkOf(word).map(insured) }) },
  { ...bulk('bulk-compliance'), body: (word) => ({ results: bulkOf(word).map(compliant) }) },
  { stored: 'nothing', endpoint: 'usage', path: () => '/v1/usage', body: (name) => ({ key: { name } }) },
  { ...list(), body: (_, { item, older }) => ({ items: [item, older], total: 2 }) },
  { ...list((word) => `&slug=${word}`), body: (_, { item }) => ({ items: [item], total: 1 }) },
  { ...items, endpoint: 'read-content', path: byId, body: (_, { item }) => item },
  { ...create, json: (word) => fieldsOf(word), status: 201, body: (word) => ({ ...fieldsOf(word), version: 1 }) },
  update((word) => ({ title: `New title ${word}` })),
  update((word) => ({ domain: `to-${word}.example`, slug: `to-${word}` })),
  { ...items, endpoint: 'delete-content', method: 'DELETE', path: byId, status: 204, repeatedStatus: 404 },
  { stored: 'nothing', endpoint: '$default', path: (word) => `/v1/${word}`, status: 404 },
];

/** One request about records of its own, which are stored around the proxy, so without faults. */
export const prepare = async (api: TestApi, scenario: Scenario, word: string) => {
  const { stored, method = 'GET', path, json, body } = scenario;
  const key = await api.newKey({ name: word, ...scenario.key });
  if (stored === 'vehicles') {
    const plates = json ? bulkOf(word) : [word];
    await api.loadVehicles(...plates.map((number) => aVehicle(number.toUpperCase(), [aPolicy({ number })])));
    await api.loadCompliance(...plates.map((plate) => aCompliance(plate.toUpperCase())));
  }
  const content = contentTable(api.engine.client, api.engine.names.content, 'live');
  // A list is in the order of creation times, so that the two must differ.
  const create = async (slug: string, now: string) =>
    (await content.create(fieldsOf(word, slug), undefined, { ...moment(), now: new Date(now) })).item;
  const [older, item] =
    stored === 'items'
      ? [await create(`${word}-older`, '2026-06-15T11:00:00.000Z'), await create(word, '2026-06-15T12:00:00.000Z')]
      : [];
  const both = { item, older } as Items;
  const headers = { 'Idempotency-Key': word };
  return {
    /** One of them is in every database request that is made for it. */
    marks: [word, liveId(key), ...[item, older].flatMap((one) => one?.id ?? [])],
    key,
    send: () => api.call(method, path(word, both.item), { key, ...(json && { json: json(word), headers }) }),
    body: body?.(word, both),
  };
};

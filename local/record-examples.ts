/** Records the responses in the OpenAPI document: `npm run openapi`. */
import { createHash } from 'node:crypto';
import { keyStore } from '../admin/keys/key-store.ts';
import type { KeyRecord } from '../core/access/key-record.ts';
import { LOCAL_TABLE_NAMES } from '../core/tables.ts';
import type { ExampleRequest } from '../functions/endpoints/document.ts';
import { type EndpointId, endpoints } from '../functions/endpoints/table.ts';
import type { Endpoint } from '../functions/http/endpoint-definition.ts';
import { documents } from '../openapi/endpoint-documents.ts';
import type { ExampleResponse, Recording } from '../openapi/examples.ts';
import { addKey } from './demo-keys.ts';
import { openDatabase, SAMPLE_CONTENT } from './sample-database.ts';
import { startLocalService } from './service.ts';

/** The time of every request and of the sample data. */
const RECORDED_AT = new Date('2026-06-15T12:00:10.000Z');

const sampleIds: ReadonlySet<unknown> = new Set(SAMPLE_CONTENT.map(({ id }) => id));

/** The UUIDs of requests and items, and the ids of keys. */
const ID = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{20})\b/g;

/**
 * Replaces random ids by fixed ones, in the order in which they occur. Called for each endpoint, so that a new endpoint
 * changes no other's ids.
 */
const withFixedIds = <Value>(value: Value): Value => {
  const fixed = new Map<string, string>();
  const replaced = JSON.stringify(value).replace(ID, (id) => {
    if (sampleIds.has(id)) return id;
    const hash = createHash('sha256').update(String(fixed.size)).digest('hex');
    const uuid = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
    const known = fixed.get(id) ?? (id.includes('-') ? uuid : hash.slice(0, 20));
    fixed.set(id, known);
    return known;
  });
  return JSON.parse(replaced);
};

/** An example as a request to an origin, without a key. */
export const requestTo = (
  origin: string,
  { method, paths: [template] }: Endpoint,
  { request }: Pick<ExampleRequest, 'request'>,
) => {
  const { path = {}, query = {}, headers = {}, body } = request;
  const url = new URL(
    origin + template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? '')),
  );
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const json = body !== undefined && { body: JSON.stringify(body) };
  return new Request(url, {
    method,
    ...json,
    headers: { ...(json && { 'Content-Type': 'application/json' }), ...headers },
  });
};

const responseTo = async (request: Request, key: string): Promise<ExampleResponse> => {
  request.headers.set('X-API-Key', key);
  const response = await fetch(request);
  const text = await response.text();
  return { status: response.status, ...(text !== '' && { body: JSON.parse(text) }) };
};

/** Sends every example request to a service with fresh sample data, at one fixed time. */
export const recordExamples = async (): Promise<Recording> => {
  const service = await startLocalService({ port: 0, dynamodbPort: 0, clock: () => RECORDED_AT.getTime() });
  const db = openDatabase(service.dynamodb);
  const keys = keyStore(db, LOCAL_TABLE_NAMES.keys);

  const newKey = (rest: Pick<KeyRecord, 'domains'>): Promise<string> =>
    addKey(keys, { name: 'Example Garage', plan: 'standard', environment: 'live', ...rest }, RECORDED_AT);

  const recordEndpoint = async (id: EndpointId): Promise<Readonly<Record<string, ExampleResponse>>> => {
    const keysByDomains = new Map<string, string>();
    const responses: Record<string, ExampleResponse> = {};
    for (const example of documents[id].examples) {
      const { name, domains } = example;
      const key = keysByDomains.get(String(domains)) ?? (await newKey({ ...(domains && { domains }) }));
      keysByDomains.set(String(domains), key);
      responses[name] = await responseTo(requestTo(service.origin, endpoints[id], example), key);
    }
    return withFixedIds(responses);
  };

  try {
    const recorded: Record<string, Readonly<Record<string, ExampleResponse>>> = {};
    for (const id of Object.keys(endpoints) as EndpointId[]) recorded[id] = await recordEndpoint(id);
    return recorded;
  } finally {
    db.destroy();
    await service.stop();
  }
};

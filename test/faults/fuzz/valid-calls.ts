/** Requests that the service would serve: what fuzzing starts from, so that it passes the first check. */
import fc from 'fast-check';
import { SANDBOX_VEHICLES } from '../../../core/sandbox/sandbox-vehicles.ts';
import { type EndpointId, endpoints } from '../../../functions/endpoints/table.ts';
import { recordedExamples } from '../../../lib/openapi/examples.ts';

/** A valid request without its key. */
export interface Call {
  readonly endpoint: EndpointId | 'not-found';
  readonly method: string;
  /** Encoded. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

const registration = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...SANDBOX_VEHICLES.map((vehicle) => vehicle.registration)) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Z]{2}\d{2} [A-Z]{3}$/) },
);
const ofVehicle = { parameters: fc.record({ registration }) };
const registrations = fc.array(registration, { minLength: 1, maxLength: 20 });
const date = fc.constantFrom('1900-01-01', '2024-02-29', '2026-06-15', '2099-12-31');

/** Few domains and many slugs, so that lists grow and slugs are taken at times. */
const fields = {
  title: fc.string({ minLength: 1, maxLength: 60 }).map((text) => `Title ${text}`),
  content: fc.string({ maxLength: 300 }).map((text) => `Text ${text}`),
  domain: fc.constantFrom('news.example', 'help.example', 'fuzz.example', 'FUZZ.example'),
  slug: fc.nat(20_000).map((number) => `slug-${number}`),
  meta_description: fc.string({ maxLength: 100 }),
};
const page = {
  domain: fields.domain,
  slug: fields.slug,
  limit: fc.integer({ min: 1, max: 100 }).map(String),
  offset: fc.nat(200).map(String),
};
const ifMatch = fc.record({ 'If-Match': fc.constantFrom('*', '"1"', '"2"') }, { requiredKeys: [] });
const idempotencyKey = fc.nat(500).map((number) => `key-${number}`);

type Parts = { readonly [Part in 'parameters' | 'query' | 'headers' | 'json']?: fc.Arbitrary<Call[Part]> };

/** The parts of the examples that succeed. */
const partsOfExamples = (id: EndpointId): Parts => {
  const accepted = recordedExamples()
    .of(id)
    .filter(({ status }) => status < 300)
    .map(({ request }) => request);
  return {
    parameters: fc.constantFrom(...accepted.map(({ path = {} }) => path)),
    query: fc.constantFrom(
      ...accepted.map(({ query = {} }) => Object.fromEntries(new URLSearchParams(query as Record<string, string>))),
    ),
    headers: fc.constantFrom(...accepted.map(({ headers = {} }) => headers)),
    json: fc.constantFrom(...accepted.map(({ body }) => body)),
  };
};

/** Valid calls of every endpoint alike, and of paths without one. An endpoint without a row here has the parts of its examples. */
export const validCalls = (contentIds: readonly string[]): fc.Arbitrary<Call> => {
  const ofItem = { parameters: fc.record({ id: fc.constantFrom(...contentIds) }) };
  const parts: Readonly<Partial<Record<EndpointId, Parts>>> = {
    'vehicle-insurance': { ...ofVehicle, query: fc.record({ date }, { requiredKeys: [] }) },
    'bulk-insurance': { json: fc.record({ registrations, date }, { requiredKeys: ['registrations'] }) },
    'bulk-compliance': { json: fc.record({ registrations }) },
    compliance: ofVehicle,
    'list-content': { query: fc.oneof(fc.constant({}), fc.record(page, { requiredKeys: ['domain'] })) },
    'create-content': {
      json: fc.record(fields, { requiredKeys: ['title', 'content', 'domain', 'slug'] }),
      headers: fc.record({ 'Idempotency-Key': idempotencyKey }, { requiredKeys: [] }),
    },
    'read-content': ofItem,
    'update-content': { ...ofItem, json: fc.record(fields, { requiredKeys: ['title'] }), headers: ifMatch },
    'delete-content': { ...ofItem, headers: ifMatch },
  };
  const none = fc.constant({});
  const callsOf = (endpoint: Call['endpoint'], method: string, paths: readonly string[], given: Parts) =>
    fc
      .record({ template: fc.constantFrom(...paths), parameters: none, query: none, headers: none, ...given })
      .map(({ template, parameters, ...rest }): Call => {
        const values: Readonly<Record<string, string>> = parameters;
        const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''));
        return { endpoint, method, path, parameters, ...rest };
      });
  return fc.oneof(
    ...(Object.keys(endpoints) as EndpointId[]).map((id) =>
      callsOf(id, endpoints[id].method, endpoints[id].paths, parts[id] ?? partsOfExamples(id)),
    ),
    callsOf('not-found', 'PATCH', ['/', '/v1', '/v2/vehicle'], {}),
  );
};

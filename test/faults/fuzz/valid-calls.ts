/** Requests that the service would serve: what fuzzing starts from, so that it gets past the first check. */
import fc from 'fast-check';
import { type EndpointId, endpoints } from '../../../functions/endpoints.ts';
import { SAMPLE_VEHICLES } from '../../../lib/local/sample-vehicles.ts';

/** A sound request, its key aside. */
export interface Call {
  readonly endpoint: EndpointId | 'not-found';
  readonly method: string;
  readonly template: string;
  /** By the names in the template, not encoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  /** Besides the key's and `Content-Type`. */
  readonly headers: readonly (readonly [string, string])[];
  readonly json?: unknown;
}

/** The call's path, encoded. */
export const pathOf = ({ template, parameters }: Pick<Call, 'template' | 'parameters'>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''));

const registration = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...SAMPLE_VEHICLES.map((vehicle) => vehicle.registration)) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Z]{2}\d{2} [A-Z]{3}$/) },
);

/** Few domains and many slugs, so that lists grow and slugs are taken at times. */
const fields = {
  title: fc.string({ minLength: 1, maxLength: 60 }).map((text) => `Title ${text}`),
  content: fc.string({ maxLength: 300 }).map((text) => `Text ${text}`),
  domain: fc.constantFrom('news.example', 'help.example', 'fuzz.example', 'FUZZ.example'),
  slug: fc.nat(20_000).map((number) => `slug-${number}`),
  meta_description: fc.string({ maxLength: 100 }),
};

const creation = fc.record(fields, { requiredKeys: ['title', 'content', 'domain', 'slug'] });

const update = fc.record({ ...fields, title: fields.title }, { requiredKeys: ['title'] });

const ifMatch = fc.constantFrom<Call['headers']>(
  [],
  [],
  [['If-Match', '*']],
  [['If-Match', '"1"']],
  [['If-Match', '"2"']],
);

const idempotencyKey = fc.oneof(
  fc.constant<Call['headers']>([]),
  fc.nat(500).map((number): Call['headers'] => [['Idempotency-Key', `key-${number}`]]),
);

const pageQuery = fc.record(
  {
    domain: fields.domain,
    slug: fields.slug,
    limit: fc.integer({ min: 1, max: 100 }).map(String),
    offset: fc.nat(200).map(String),
  },
  { requiredKeys: ['domain'] },
);

type Parts = Partial<Pick<Call, 'parameters' | 'query' | 'headers' | 'json'>>;

const registrations = fc.array(registration, { minLength: 1, maxLength: 20 });

/** What each endpoint takes; `contentIds` are of items that exist, or did. */
const partsOf = (contentIds: readonly string[]): Readonly<Record<EndpointId, fc.Arbitrary<Parts>>> => {
  const parameters = fc.record({ id: fc.constantFrom(...contentIds) });
  return {
    'vehicle-insurance': fc.record({ parameters: fc.record({ registration }) }),
    'bulk-insurance': fc.record({ json: fc.record({ registrations }) }),
    'bulk-compliance': fc.record({ json: fc.record({ registrations }) }),
    usage: fc.constant({}),
    compliance: fc.record({ parameters: fc.record({ registration }) }),
    'list-content': fc.oneof(fc.constant({}), fc.record({ query: pageQuery.map(Object.entries) })),
    'create-content': fc.record({ json: creation, headers: idempotencyKey }),
    'read-content': fc.record({ parameters }),
    'update-content': fc.record({ parameters, json: update, headers: ifMatch }),
    'delete-content': fc.record({ parameters, headers: ifMatch }),
  };
};

const elsewhere: fc.Arbitrary<Call> = fc
  .record({ method: fc.constantFrom('GET', 'POST', 'PATCH'), template: fc.constantFrom('/', '/v1', '/v2/vehicle') })
  .map((place) => ({ endpoint: 'not-found', parameters: {}, query: [], headers: [], ...place }));

/** Sound calls of every endpoint alike, and of paths that no row serves. */
export const validCalls = (contentIds: readonly string[]): fc.Arbitrary<Call> => {
  const parts = partsOf(contentIds);
  const rows = Object.keys(endpoints) as EndpointId[];
  return fc.oneof(
    ...rows.map((endpoint) => {
      const { method, paths } = endpoints[endpoint];
      return fc.record({ template: fc.constantFrom<string>(...paths), given: parts[endpoint] }).map(
        ({ template, given }): Call => ({
          endpoint,
          method,
          template,
          parameters: {},
          query: [],
          headers: [],
          ...given,
        }),
      );
    }),
    elsewhere,
  );
};

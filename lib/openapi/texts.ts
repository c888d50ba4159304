/** The texts of the document that belong to no single endpoint. */
import { readFileSync } from 'node:fs';
import type { Endpoint } from '../../functions/http/endpoint.ts';

/** The version of the package and of the document. */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** The `info` object of the document. */
export const information = {
  title: 'Vehicle verification API',
  version,
  summary: 'Vehicle insurance, compliance verdicts and content items.',
  description: [
    'Every request needs an API key, as `Authorization: Bearer <key>` or `X-API-Key: <key>`. Keys belong on servers, never in a browser or an app: responses have no CORS headers.',
    'Each plan has a rate limit per window of 60 seconds, aligned to the Unix minute. Every response has the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`. Plans: `free` 60 requests and 100 registrations in a bulk request, `standard` 600 and 500, `premium` 6,000 and 1,000. A request over the limit gets 429 with `Retry-After`.',
    'A live key, `vvc_live_…`, works with the data of the service. A test key, `vvc_test_…`, works in the sandbox, on every deployment: it looks up the documented sandbox vehicles, dated from today, and has content of its own, apart from that of live keys. Its limits, headers and errors are the real ones, and every response to it has `X-Sandbox: true`. For a test key every lookup of `ER19 THR` is 429 and of `ER19 ERR` 500; as entries of a bulk request both are `LOOKUP_UNAVAILABLE`.',
    'A lookup is signed when `Accept` lists `application/jwt`, where the service signs answers: the response is a JWT (a compact JWS with ES256, `typ` `vehicle-answer+jwt`) whose claim `answer` has the JSON, with `iss`, `aud` (the id of the key), `iat`, `jti` (the id of the request), `request` and `status`; `sandbox` is true for a test key. `VEHICLE_NOT_FOUND` and `COMPLIANCE_NOT_FOUND` are signed too. The public keys are at `/.well-known/jwks.json` of the origin, without an API key.',
    'Every error is an RFC 9457 problem document with a `code`. When several apply, the first in this order is returned: 401, 429, 403 `SCOPE_MISSING`, unknown path or method (404, 405), 406, 400, resource not found (404), 403 `DOMAIN_FORBIDDEN`, 412, 409.',
    'Days are days in Europe/London; timestamps are UTC. `/v1` only gains optional fields, parameters and codes: ignore fields and codes that you do not know.',
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
} as const;

/** The rows' tags, in the order in which the reference shows them. */
export const tags: readonly { readonly name: Endpoint['tag']; readonly description: string }[] = [
  { name: 'Vehicles', description: 'Is a vehicle insured? One at a time, or up to 1,000 in a request.' },
  {
    name: 'Compliance',
    description: 'May a vehicle be on the road? Insurance, MOT, road tax and fines in one verdict.',
  },
  { name: 'Usage', description: 'What the key may do, and its requests of the last 24 hours.' },
  {
    name: 'Content',
    description:
      'Content items by domain and slug. The same endpoints are also at the origin, without `/v1`: `/api/content` and `/api/content/{id}`.',
  },
];

/** The two headers that can carry the key. */
export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'The API key: `vvc_live_…`, or `vvc_test_…` for the sandbox. `Authorization` may carry the same key; two different keys are 401.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The API key, as an alternative to `X-API-Key`. An `Authorization` of another scheme is ignored.',
  },
} as const;

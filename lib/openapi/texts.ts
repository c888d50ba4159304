/** The texts of the document that belong to no single endpoint. */
import { LARGEST_BULK, PLAN_MEANINGS } from '../../functions/endpoints/document.ts';
import type { Endpoint } from '../../functions/http/endpoint.ts';
import { VERSION } from '../version.ts';

const plans = Object.entries(PLAN_MEANINGS).map(([plan, meaning]) => `\`${plan}\` ${meaning}`);

/** The `info` object of the document. */
export const information = {
  title: 'Vehicle verification API',
  version: VERSION,
  summary: 'Vehicle insurance, compliance verdicts and content items.',
  description: [
    'Every request needs an API key, as `Authorization: Bearer <key>` or `X-API-Key: <key>`. Keys belong on servers, never in a browser or an app: responses have no CORS headers.',
    `Each plan has a rate limit per window of 60 seconds, aligned to the Unix minute. Every response has the headers \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. Plans: ${plans.join('; ')}. A request over the limit gets 429 with \`Retry-After\`.`,
    'A live key, `vvc_live_…`, works with the data of the service. A test key, `vvc_test_…`, works in the sandbox, on every deployment: it looks up the documented sandbox vehicles, dated from today, and has content of its own, apart from that of live keys. Its limits, headers and errors are the real ones, and every response to it has `X-Sandbox: true`. For a test key every lookup of `ER19 THR` is 429 and of `ER19 ERR` 500; as entries of a bulk request both are `LOOKUP_UNAVAILABLE`.',
    'Every error is an RFC 9457 problem document with a `code`. When several apply, the first in this order is returned: 401, 429, 403 `SCOPE_MISSING`, unknown path or method (404, 405), 400, resource not found (404), 403 `DOMAIN_FORBIDDEN`, 412, 409.',
    'Days are days in Europe/London; timestamps are UTC. `/v1` only gains optional fields, parameters and codes: ignore fields and codes that you do not know.',
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
} as const;

/** The rows' tags, in the order in which the reference shows them. */
export const tags: readonly { readonly name: Endpoint['tag']; readonly description: string }[] = [
  { name: 'Vehicles', description: `Is a vehicle insured? One at a time, or up to ${LARGEST_BULK} in a request.` },
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

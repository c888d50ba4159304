/** The texts of the document that belong to no single endpoint. */
import { DEFAULT_PLANS } from '../core/access/plans.ts';
import { LARGEST_BULK } from '../functions/endpoints/document.ts';
import type { Endpoint } from '../functions/http/endpoint-definition.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { JsonObject } from './json.ts';

const plans = Object.entries(DEFAULT_PLANS).map(([name, plan]) => `\`${name}\` ${plan.requestsPerWindow} requests`);

/** The `info` object of the document. @param answer of an insurance lookup, as a first example */
export const information = (answer: unknown): JsonObject => ({
  title: 'Vehicle verification API',
  version: packageJson.version,
  summary: 'Vehicle insurance, compliance verdicts and content items.',
  description: [
    'Is this vehicle insured, and may it be on the road? `GET /v1/vehicle/AB12CDE/insurance` answers:',
    `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``,
    'A verdict on compliance adds MOT, road tax and unpaid fines. Both take one registration, or a list in one request. The service stores content items too.',
    'Every request needs an API key, as `Authorization: Bearer <key>` or `X-API-Key: <key>`. Keys belong on servers: responses have no CORS headers. A test key, `vvc_test_…`, sees the sandbox only, and every response to it has `X-Sandbox: true`; a live key, `vvc_live_…`, the data of the service.',
    `Rate limits are per window of 60 seconds, aligned to the Unix minute. Your operator sets the plans; an example is ${plans.join(', ')}. Every response has the headers \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; beyond the limit it is 429 with \`Retry-After\`.`,
    'A lookup is signed when `Accept` lists `application/jwt`, where the service signs answers: the response is a JWT (a compact JWS with ES256, `typ` `vehicle-answer+jwt`) whose claim `answer` has the JSON, with `iss`, `aud` (the id of the key), `iat`, `jti` (the id of the request), `request` and `status`; `sandbox` is true for a test key. `VEHICLE_NOT_FOUND` and `COMPLIANCE_NOT_FOUND` are signed too. The public keys are at `/.well-known/jwks.json` of the origin, without an API key.',
    'Every error is an RFC 9457 problem document with a `code`. When several apply, the first in this order is returned: 401, 429, 403 `SCOPE_MISSING`, unknown path or method (404, 405), 406, 400, resource not found (404), 403 `DOMAIN_FORBIDDEN`, 412, 409.',
    'Days are days in Europe/London; timestamps are UTC. `/v1` only gains optional fields, parameters and codes: ignore fields and codes that you do not know.',
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
});

/** The endpoints' tags, in the order in which the reference shows them. */
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

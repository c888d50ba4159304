/**
 * The strict form of the OpenAPI 3.1 document, an operation for each endpoint in the table. Tests validate all
 * responses against it. The types of `client/` and the published document are made from it.
 */
import { DEFAULT_PLANS } from '../core/access/plans.ts';
import { problemType } from '../core/problems.ts';
import { LARGEST_BULK } from '../functions/endpoints/document.ts';
import { type EndpointId, endpoints } from '../functions/endpoints/table.ts';
import type { Endpoint } from '../functions/http/endpoint-definition.ts';
import packageJson from '../package.json' with { type: 'json' };
import { componentSchemas } from './component-schemas.ts';
import { documents } from './endpoint-documents.ts';
import { recordedExamples } from './examples.ts';
import type { JsonObject } from './json.ts';
import { buildParameters, buildRequestBody } from './parameters.ts';
import { headerComponents } from './response-headers.ts';
import { buildResponses, componentResponses, otherRequests, platformResponses, problemCodesOf } from './responses.ts';

/** The base path to which documented paths are relative. */
const BASE = '/v1';

export const pathInDocument = ({ paths: [first] }: Endpoint): string => first.slice(BASE.length);

/**
 * Absolute addresses, because clients import the document from a file. `/api`, the second address of content, is not
 * listed: an importer would send the requests of content there, whatever base address it is given.
 */
const listServers = (origin: string | undefined): JsonObject[] =>
  origin !== undefined
    ? [{ url: origin + BASE, description: 'The service' }]
    : [
        { url: `http://localhost:3000${BASE}`, description: 'Local' },
        {
          url: `https://{api}.execute-api.{region}.amazonaws.com${BASE}`,
          description: 'Deployed',
          // The variables have no descriptions, because swagger-parser rejects them.
          variables: { api: { default: 'abcde12345' }, region: { default: 'eu-west-2' } },
        },
      ];

const plans = Object.entries(DEFAULT_PLANS).map(([name, plan]) => `\`${name}\` ${plan.requestsPerWindow} requests`);

/** The `info` object of the document. @param answer of an insurance lookup, as a first example */
const information = (answer: unknown): JsonObject => ({
  title: 'Vehicle verification API',
  version: packageJson.version,
  summary: 'Vehicle insurance, compliance verdicts and content items.',
  description: [
    'Is this vehicle insured, and may it be on the road? `GET /v1/vehicle/AB12CDE/insurance` answers:',
    `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``,
    'A verdict on compliance adds MOT, road tax and unpaid fines. Both take one registration, or a list in one request. The service stores content items too.',
    'Every request needs an API key, as `Authorization: Bearer <key>` or `X-API-Key: <key>`. Keys belong on servers: responses have no CORS headers. A test key, `vvc_test_…`, sees the sandbox only, and every response to it has `X-Sandbox: true`; a live key, `vvc_live_…`, the data of the service.',
    `Rate limits are per window of 60 seconds, aligned to the Unix minute. Your operator sets the plans; an example is ${plans.join(', ')}. Every response has the headers \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; beyond the limit it is 429 with \`Retry-After\`. A plan may also allow a number of units in a day or a month; \`GET /v1/usage\` shows them as \`allowance\`.`,
    'Every error is an RFC 9457 problem document with a `code`. When several apply, the first in this order is returned: 401, 403 `ADDRESS_FORBIDDEN`, 429 `RATE_LIMITED`, 403 `SCOPE_MISSING`, 429 `ALLOWANCE_EXCEEDED`, unknown path or method (404, 405), 400 for the input, 403 `SCOPE_MISSING` for a `date`, 429 `ALLOWANCE_EXCEEDED` for the entries of a bulk request, resource not found (404), 403 `DOMAIN_FORBIDDEN`, 412, 409, 400 for an `after` of another list, 400 `PAGE_TOO_LARGE`.',
    'Days are days in Europe/London; timestamps are UTC. `/v1` only gains optional fields, parameters and codes: ignore fields and codes that you do not know.',
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
});

/** The endpoints' tags, in the order in which the reference shows them. */
const tags: readonly { readonly name: Endpoint['tag']; readonly description: string }[] = [
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

const securitySchemes = {
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

const buildOperation = (id: EndpointId, endpoint: Endpoint): JsonObject => {
  const shown = recordedExamples(id);
  const { operationId, description } = documents[id];
  const parameters = buildParameters(documents[id], shown);
  const codes = problemCodesOf(endpoint);
  return {
    operationId,
    summary: endpoint.summary,
    description: `${description}\n\nCodes of problems: ${codes.map((code) => `[\`${code}\`](${problemType(code)})`).join(', ')}.`,
    'x-problem-codes': codes,
    tags: [endpoint.tag],
    security: Object.keys(securitySchemes).flatMap((scheme) => {
      const scopes = [endpoint.scope, endpoint.partScope].filter((scope) => scope !== undefined);
      return scopes.length === 0 ? [{ [scheme]: [] }] : scopes.map((scope) => ({ [scheme]: [scope] }));
    }),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: buildRequestBody(documents[id], shown),
    responses: buildResponses(id, endpoint, shown),
  };
};

const buildPaths = (): JsonObject => {
  const paths: Record<string, JsonObject> = {};
  for (const [id, endpoint] of Object.entries(endpoints) as [EndpointId, Endpoint][]) {
    const path = pathInDocument(endpoint);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: buildOperation(id, endpoint) };
  }
  return paths;
};

/**
 * The strict form. It is deterministic.
 * @param origin of its only server, as `scheme://host:port`; without it the document has a local server and a deployed
 * one, whose address is to be filled in
 */
export const strictDocument = (origin?: string): JsonObject => ({
  openapi: '3.1.1',
  info: information(recordedExamples('vehicle-insurance')[0]?.body),
  servers: listServers(origin),
  tags,
  paths: buildPaths(),
  components: {
    securitySchemes,
    schemas: componentSchemas(),
    headers: headerComponents,
    responses: componentResponses(),
  },
  'x-other-requests': {
    description: 'The responses of every path and method that is not described here; without a valid key 401.',
    responses: otherRequests(),
  },
  'x-platform-responses': platformResponses,
});

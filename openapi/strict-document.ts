/**
 * The strict form of the OpenAPI 3.1 document, an operation for each endpoint in the table. Tests validate all
 * responses against it. The types of `client/` and the published document are made from it.
 */
import { problemType } from '../core/problems.ts';
import { type EndpointId, endpoints } from '../functions/endpoints/table.ts';
import type { Endpoint } from '../functions/http/endpoint-definition.ts';
import { componentSchemas } from './component-schemas.ts';
import { documents } from './endpoint-documents.ts';
import { type Examples, recordedExamples } from './examples.ts';
import type { JsonObject } from './json.ts';
import { buildParameters, buildRequestBody } from './parameters.ts';
import { headerComponents } from './response-headers.ts';
import {
  buildResponses,
  componentResponses,
  otherRequests,
  platformResponses,
  problemCodesOf,
  publicKeys,
} from './responses.ts';
import { information, securitySchemes, tags } from './texts.ts';

/** The base path to which documented paths are relative. */
const BASE = '/v1';

/** The path of an endpoint in the document, relative to the base address. */
export const pathInDocument = ({ paths: [first] }: Endpoint): string => first.slice(BASE.length);

/** The default address of `npm start`. */
const LOCAL_ORIGIN = 'http://localhost:3000';

/** Addresses, each as `scheme://host:port`. */
export interface Origins {
  /** The service on this machine. Default: `LOCAL_ORIGIN`. */
  readonly local?: string;
  /** One deployment. If present, the document has no other server. */
  readonly deployed?: string | undefined;
}

/**
 * Absolute addresses, because clients import the document from a file. The second address of content is no server: an
 * importer would send content requests there whatever base address it is given.
 */
const listServers = ({ local = LOCAL_ORIGIN, deployed }: Origins): JsonObject[] =>
  deployed !== undefined
    ? [{ url: deployed + BASE, description: 'The service' }]
    : [
        { url: local + BASE, description: 'Local' },
        {
          url: `https://{api}.execute-api.{region}.amazonaws.com${BASE}`,
          description: 'Deployed',
          // The variables have no descriptions, because swagger-parser rejects them.
          variables: { api: { default: 'abcde12345' }, region: { default: 'eu-west-2' } },
        },
      ];

const buildOperation = (id: EndpointId, endpoint: Endpoint, examples: Examples): JsonObject => {
  const shown = examples.of(id);
  const { operationId, description } = documents[id];
  const parameters = buildParameters(documents[id], shown);
  const codes = problemCodesOf(endpoint);
  return {
    operationId,
    summary: endpoint.summary,
    description: `${description}\n\nCodes of problems: ${codes.map((code) => `[\`${code}\`](${problemType(code)})`).join(', ')}.`,
    'x-problem-codes': codes,
    tags: [endpoint.tag],
    security: Object.keys(securitySchemes).map((scheme) => ({ [scheme]: endpoint.scope ? [endpoint.scope] : [] })),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: buildRequestBody(documents[id], shown),
    responses: buildResponses(id, endpoint, examples),
  };
};

const buildPaths = (examples: Examples): JsonObject => {
  const paths: Record<string, JsonObject> = {};
  for (const [id, endpoint] of Object.entries(endpoints) as [EndpointId, Endpoint][]) {
    const path = pathInDocument(endpoint);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: buildOperation(id, endpoint, examples) };
  }
  return paths;
};

/** The strict form. It is deterministic. @throws Error naming an example that is not recorded */
export const strictDocument = (origins: Origins = {}, examples: Examples = recordedExamples()): JsonObject => ({
  openapi: '3.1.1',
  info: information(examples.of('vehicle-insurance')[0]?.body),
  servers: listServers(origins),
  tags,
  paths: buildPaths(examples),
  components: {
    securitySchemes,
    schemas: componentSchemas(),
    headers: headerComponents,
    responses: componentResponses(examples.errors),
  },
  'x-other-requests': {
    description: 'The responses of every path and method that is not described here; without a valid key 401.',
    responses: otherRequests(),
  },
  'x-public-keys': publicKeys,
  'x-platform-responses': platformResponses,
});

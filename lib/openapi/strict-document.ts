/**
 * Makes the strict form of the OpenAPI 3.1 document from the table of endpoints: each row and its `document.ts` become an
 * operation. Tests hold every response to it, and the types of `client/` are made from it. So is the published document.
 */
import type { ProblemCode } from '../../core/problems.ts';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint.ts';
import { componentSchemas } from './component-schemas.ts';
import { documents } from './endpoint-documents.ts';
import { type Examples, recordedExamples } from './examples.ts';
import { type JsonObject, present } from './json.ts';
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

const rows = Object.entries(endpoints) as [EndpointId, Endpoint][];

/** The base path to which documented paths are relative. */
const BASE = '/v1';

/** The path of a row as the document writes it, relative to the base address. */
export const pathInDocument = ({ paths: [first] }: Endpoint): string => first.slice(BASE.length);

const DEPLOYED = 'https://{api}.execute-api.{region}.amazonaws.com';

/** They have no descriptions: swagger-parser rejects those. */
const variables = {
  api: { default: 'abcde12345' },
  region: { default: 'eu-west-2' },
} as const;

/** The default address of `npm start`. */
export const LOCAL_ORIGIN = 'http://localhost:3000';

/** The origins of the described service, as `scheme://host:port`. */
export interface Origins {
  /** The service on this machine; `LOCAL_ORIGIN` when absent. */
  readonly local?: string;
  /** One deployment. If present, the document has no other server. */
  readonly deployed?: string | undefined;
}

/**
 * This machine and a deployment, whose deployment prints the id of its API, with absolute URLs, because clients import the document from a file. The second address of
 * content is no server: importers then send content requests to it whatever base address they are given.
 */
const listServers = ({ local = LOCAL_ORIGIN, deployed }: Origins): JsonObject[] =>
  deployed !== undefined
    ? [{ url: deployed + BASE, description: 'The service' }]
    : [
        { url: local + BASE, description: 'Local' },
        {
          url: DEPLOYED + BASE,
          description: 'Deployed',
          variables,
        },
      ];

const withCodes = (description: string, codes: readonly ProblemCode[]): string =>
  `${description}\n\nCodes of problems: ${codes.map((code) => `\`${code}\``).join(', ')}.`;

const buildOperation = (id: EndpointId, row: Endpoint, examples: Examples): JsonObject => {
  const shown = examples.of(id);
  const parameters = buildParameters(row, documents[id], shown);
  const codes = problemCodesOf(row);
  return present({
    operationId: documents[id].operationId,
    summary: row.summary,
    description: withCodes(documents[id].description, codes),
    'x-problem-codes': codes,
    tags: [row.tag],
    security: Object.keys(securitySchemes).map((scheme) => ({ [scheme]: row.scope ? [row.scope] : [] })),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: buildRequestBody(documents[id], shown),
    responses: buildResponses(id, row, examples),
  });
};

const paths = (examples: Examples): JsonObject => {
  const found: Record<string, JsonObject> = {};
  for (const [id, row] of rows) {
    const path = pathInDocument(row);
    found[path] = { ...found[path], [row.method.toLowerCase()]: buildOperation(id, row, examples) };
  }
  return found;
};

/** The strict form. It is deterministic. @throws Error naming an example that is not recorded */
export const strictDocument = (origins: Origins = {}, examples: Examples = recordedExamples()): JsonObject => ({
  openapi: '3.1.1',
  info: information,
  servers: listServers(origins),
  tags,
  paths: paths(examples),
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

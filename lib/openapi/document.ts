/** Makes the OpenAPI 3.1 document from the table of endpoints. Each row and its `document.ts` become an operation. */
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint.ts';
import { componentSchemas } from './component-schemas.ts';
import { documents } from './documents.ts';
import { type Examples, recordedExamples } from './examples.ts';
import { type JsonObject, present } from './json.ts';
import { parametersOf, requestBodyOf } from './parameters.ts';
import { headerComponents } from './response-headers.ts';
import { componentResponses, operationIdOf, otherRequests, platformResponses, responsesOf } from './responses.ts';
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
interface Origins {
  /** The service on this machine; `LOCAL_ORIGIN` when absent. */
  readonly local?: string;
  /** One deployment. If present, the document has no other server. */
  readonly deployed?: string | undefined;
}

/** The servers of a row: this machine and a deployment. Their URLs are absolute, because clients import the document from a file. */
const serversOf = (row: Pick<Endpoint, 'paths'>, { local = LOCAL_ORIGIN, deployed }: Origins): JsonObject[] => {
  const relative = pathInDocument(row as Endpoint);
  const bases = row.paths.map((path) => path.slice(0, path.length - relative.length));
  if (deployed !== undefined) {
    return bases.map((base) => ({
      url: deployed + base,
      description: base ? 'The service' : 'The service, unversioned',
    }));
  }
  return [
    ...bases.map((base) => ({
      url: local + base,
      description: `The service on this machine, started with \`npm start\`${base ? '' : '; unversioned'}`,
    })),
    ...bases.map((base) => ({
      url: DEPLOYED + base,
      description: `A deployed service${base ? '' : ', unversioned'}; its deployment prints the id of the API`,
      variables,
    })),
  ];
};

const operationOf = (id: EndpointId, row: Endpoint, examples: Examples): JsonObject => {
  const shown = examples.of(id);
  const parameters = parametersOf(row, documents[id], shown);
  return present({
    operationId: operationIdOf(id),
    summary: row.summary,
    description: documents[id].description,
    tags: [row.tag],
    security: Object.keys(securitySchemes).map((scheme) => ({ [scheme]: row.scope ? [row.scope] : [] })),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: requestBodyOf(documents[id], shown),
    responses: responsesOf(id, row, examples),
  });
};

const paths = (origins: Origins, examples: Examples): JsonObject => {
  const found: Record<string, JsonObject> = {};
  for (const [id, row] of rows) {
    const path = pathInDocument(row);
    const servers = row.paths.length > 1 ? { servers: serversOf(row, origins) } : {};
    found[path] = { ...servers, ...found[path], [row.method.toLowerCase()]: operationOf(id, row, examples) };
  }
  return found;
};

/** The OpenAPI document. It is deterministic. @throws Error naming an example that is not recorded */
export const openApiDocument = (origins: Origins = {}, examples: Examples = recordedExamples()): JsonObject => ({
  openapi: '3.1.1',
  info: information,
  servers: serversOf(endpoints['vehicle-insurance'], origins),
  tags,
  paths: paths(origins, examples),
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
  'x-platform-responses': platformResponses,
});

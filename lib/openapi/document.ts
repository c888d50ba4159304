/** The endpoint table as an OpenAPI 3.1 document: a row is an operation, its schemas are the schemas. */
import { type Endpoint, type EndpointId, endpoints } from '../../functions/endpoints.ts';
import { componentSchemas } from './component-schemas.ts';
import { examples } from './examples/all-examples.ts';
import { type JsonObject, present } from './json.ts';
import { parametersOf, requestBodyOf } from './parameters.ts';
import { headerComponents } from './response-headers.ts';
import { componentResponses, operationIdOf, otherRequests, responsesOf } from './responses.ts';
import { pathInDocument, serversOf } from './servers.ts';
import { information, operationTexts, securitySchemes, tags } from './texts.ts';

const rows = Object.entries(endpoints) as [EndpointId, Endpoint][];

const operationOf = (id: EndpointId, row: Endpoint): JsonObject => {
  const parameters = parametersOf(row, examples[id]);
  return present({
    operationId: operationIdOf(id),
    summary: row.summary,
    description: operationTexts[id],
    tags: [row.tag],
    security: Object.keys(securitySchemes).map((scheme) => ({ [scheme]: [row.scope] })),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: requestBodyOf(row, examples[id]),
    responses: responsesOf(id, row, examples[id]),
  });
};

const paths = (): JsonObject => {
  const found: Record<string, JsonObject> = {};
  for (const [id, row] of rows) {
    const path = pathInDocument(row);
    const servers = row.paths.length > 1 ? { servers: serversOf(row) } : {};
    found[path] = { ...servers, ...found[path], [row.method.toLowerCase()]: operationOf(id, row) };
  }
  return found;
};

/** The whole document. The same rows give the same document, byte for byte. */
export const openApiDocument = (): JsonObject => ({
  openapi: '3.1.1',
  info: information,
  servers: serversOf(endpoints['vehicle-insurance']),
  tags,
  paths: paths(),
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
});

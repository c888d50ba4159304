import { type ProblemCode, problems } from '../core/problems.ts';
import type { EndpointDocument } from '../functions/endpoints/document.ts';
import type { EndpointId } from '../functions/endpoints/table.ts';
import type { Endpoint } from '../functions/http/endpoint-definition.ts';
import { schemaInDocument, statusProblemSchema } from './component-schemas.ts';
import { documents } from './endpoint-documents.ts';
import { meaningOf } from './error-list.ts';
import { commonErrors, type Example } from './examples.ts';
import { type JsonObject, refTo } from './json.ts';
import { problemHeaders, successHeaders } from './response-headers.ts';

const COMMON_ERRORS = Object.keys(commonErrors) as ProblemCode[];
/** The usage needs no scope, and is shown whatever has been used. */
const COMMON_OF_USAGE = COMMON_ERRORS.filter((code) => code !== 'SCOPE_MISSING' && code !== 'ALLOWANCE_EXCEEDED');
const COMMON_OF_OTHER_PATHS = COMMON_ERRORS.filter((code) => code !== 'SCOPE_MISSING');
/** The responses that operations share, by the name of their component. */
const SHARED_RESPONSES: Readonly<Record<string, readonly ProblemCode[]>> = {
  UNAUTHORIZED: ['UNAUTHORIZED'],
  FORBIDDEN: ['ADDRESS_FORBIDDEN', 'SCOPE_MISSING'],
  ADDRESS_FORBIDDEN: ['ADDRESS_FORBIDDEN'],
  RATE_LIMITED: ['RATE_LIMITED'],
  TOO_MANY_REQUESTS: ['RATE_LIMITED', 'ALLOWANCE_EXCEEDED'],
  INTERNAL_ERROR: ['INTERNAL_ERROR'],
};
const BODY_ERRORS = ['VALIDATION_FAILED', 'MALFORMED_JSON', 'UNSUPPORTED_CONTENT_TYPE', 'BODY_TOO_LARGE'] as const;

/** Every error code of an endpoint, the common ones first. */
export const problemCodesOf = (endpoint: Endpoint): ProblemCode[] => [
  ...(endpoint.scope ? COMMON_ERRORS : COMMON_OF_USAGE),
  ...(documents[endpoint.id as EndpointId].body ? BODY_ERRORS : []),
  ...endpoint.problems,
];

const contentOf = (type: string, schema: unknown, examples: JsonObject = {}): JsonObject => ({
  [type]: { schema, ...(Object.keys(examples).length > 0 && { examples }) },
});

/** The examples with a status, by name. */
const examplesWith = (wanted: number, shown: readonly Example[]): JsonObject =>
  Object.fromEntries(
    shown.filter(({ status }) => status === wanted).map(({ name, summary, body }) => [name, { summary, value: body }]),
  );

/** The examples of shared errors, by code in camel case. */
const sharedErrorExamples = (codes: readonly ProblemCode[]): JsonObject =>
  Object.fromEntries(
    codes.flatMap((code) => {
      const name = code.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      const example = commonErrors[code];
      return example ? [[name, { summary: meaningOf(code), value: example.body }]] : [];
    }),
  );

const problemResponse = (status: number, codes: readonly ProblemCode[], shown: readonly Example[]): JsonObject => ({
  description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join('\n\n'),
  headers: problemHeaders(status, codes),
  content: contentOf('application/problem+json', statusProblemSchema(status, codes), {
    ...sharedErrorExamples(codes),
    ...examplesWith(status, shown),
  }),
});

export const componentResponses = (): JsonObject =>
  Object.fromEntries(
    Object.entries(SHARED_RESPONSES).map(([name, codes]) => {
      const [status = 0] = codes.map((code) => problems[code].status);
      return [name, problemResponse(status, codes, [])];
    }),
  );

/** One response for each status: a component if its errors are those of one. */
const errorResponses = (codes: readonly ProblemCode[], shown: readonly Example[]): JsonObject =>
  Object.fromEntries(
    [...Map.groupBy(codes, (code) => problems[code].status)].map(([status, ofStatus]) => {
      const [component] =
        Object.entries(SHARED_RESPONSES).find(([, shared]) => shared.join() === ofStatus.join()) ?? [];
      return [status, component ? refTo('responses', component) : problemResponse(status, ofStatus, shown)];
    }),
  );

const buildLinks = (links: NonNullable<EndpointDocument['links']>): JsonObject =>
  Object.fromEntries(
    Object.entries(links).map(([name, { endpoint, description }]) => [
      name,
      { operationId: documents[endpoint].operationId, description, parameters: { id: '$response.body#/id' } },
    ]),
  );

export const buildResponses = (id: EndpointId, endpoint: Endpoint, shown: readonly Example[]): JsonObject => {
  const { success, responseHeaders, response, links } = documents[id];
  const { successStatus } = endpoint;
  return {
    [successStatus]: {
      description: success,
      headers: successHeaders(responseHeaders),
      content:
        response && contentOf('application/json', schemaInDocument(response), examplesWith(successStatus, shown)),
      links: links && buildLinks(links),
    },
    ...errorResponses(problemCodesOf(endpoint), shown),
  };
};

/** The responses to paths and methods without an endpoint, for which OpenAPI has no place. */
export const otherRequests = (): JsonObject =>
  errorResponses([...COMMON_OF_OTHER_PATHS, 'ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'], []);

const platformResponse = (description: string): JsonObject => ({
  description,
  content: contentOf('application/json', {
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string' } },
  }),
});

/**
 * The responses of API Gateway itself. In an operation they would make a typed client check whether `status` and `code`
 * exist.
 */
export const platformResponses: JsonObject = {
  description:
    'Rare responses to any request that API Gateway gives by itself: a message in place of a problem document, and none of the headers of this service. Decide by the status.',
  responses: {
    400: platformResponse('Malformed HTTP.'),
    413: platformResponse('Over 10,240 bytes of address and headers, or over 10 MB of body.'),
    429: platformResponse(
      "More requests at once than the stage allows. Send again after a pause, as after the service's own 429.",
    ),
    500: platformResponse('A function ended without a response. Treat it as 500 of the service.'),
    503: platformResponse('A function could not run, or did not respond in time. Treat it as 500 of the service.'),
  },
};

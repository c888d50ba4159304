import { type ProblemCode, problems } from '../core/problems.ts';
import type { EndpointDocument } from '../functions/endpoints/document.ts';
import type { EndpointId } from '../functions/endpoints/table.ts';
import type { Endpoint } from '../functions/http/endpoint-definition.ts';
import { endpoint as jwks } from '../functions/jwks/endpoint.ts';
import { schemaInDocument, statusProblemSchema } from './component-schemas.ts';
import { documents } from './endpoint-documents.ts';
import { meaningOf } from './error-list.ts';
import { type CommonError, type Example, type ExampleResponse, type Examples, errorExamples } from './examples.ts';
import { type JsonObject, refTo } from './json.ts';
import { problemHeaders, publicHeaders, successHeaders } from './response-headers.ts';

const COMMON_ERRORS: readonly CommonError[] = ['UNAUTHORIZED', 'SCOPE_MISSING', 'RATE_LIMITED', 'INTERNAL_ERROR'];
const COMMON_WITHOUT_SCOPE = COMMON_ERRORS.filter((code) => code !== 'SCOPE_MISSING');
const BODY_ERRORS = ['VALIDATION_FAILED', 'MALFORMED_JSON', 'UNSUPPORTED_CONTENT_TYPE', 'BODY_TOO_LARGE'] as const;

/** Whether callers may ask for a signed answer. */
export const signsAnswers = ({ signing }: Pick<Endpoint, 'signing'>): boolean => signing?.includes('Sign') === true;

/** Every error code of an endpoint, the common ones first. */
export const problemCodesOf = (endpoint: Endpoint): ProblemCode[] => [
  ...(endpoint.scope ? COMMON_ERRORS : COMMON_WITHOUT_SCOPE),
  ...(documents[endpoint.id as EndpointId].body ? BODY_ERRORS : []),
  ...endpoint.problems,
  ...(signsAnswers(endpoint) ? (['NOT_ACCEPTABLE'] as const) : []),
];

const SIGNED_CONTENT: JsonObject = {
  'application/jwt': {
    schema: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{86}$',
      description: 'The signed answer, when `Accept` asks for it: a compact JWS, whose claim `answer` has the JSON',
    },
  },
};

const contentOf = (type: string, schema: unknown, examples: JsonObject, isSigned: boolean): JsonObject => ({
  [type]: { schema, ...(Object.keys(examples).length > 0 && { examples }) },
  ...(isSigned && SIGNED_CONTENT),
});

const problemResponse = (
  status: number,
  codes: readonly ProblemCode[],
  examples: JsonObject = {},
  isSigned = false,
): JsonObject => ({
  description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join('\n\n'),
  headers: problemHeaders(status),
  content: contentOf('application/problem+json', statusProblemSchema(status, codes), examples, isSigned),
});

export const componentResponses = (): JsonObject =>
  Object.fromEntries(
    COMMON_ERRORS.map((code) => {
      const { status, body } = errorExamples[code];
      return [code, problemResponse(status, [code], { rejected: { summary: meaningOf(code), value: body } })];
    }),
  );

const namedExamples = (shown: readonly Example[]): JsonObject =>
  Object.fromEntries(shown.map(({ name, summary, body }) => [name, { summary, value: body }]));

/** The examples of shared errors, by code in camel case. */
const sharedErrorExamples = (codes: readonly ProblemCode[]) =>
  Object.fromEntries(
    codes.flatMap((code) => {
      const name = code.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      const example = (errorExamples as Partial<Record<ProblemCode, ExampleResponse>>)[code];
      return example ? [[name, { summary: meaningOf(code), value: example.body }]] : [];
    }),
  );

/** One response for each status: a component if its only error is a common one. */
const errorResponses = (
  codes: readonly ProblemCode[],
  describe: (status: number, codes: readonly ProblemCode[]) => JsonObject,
): JsonObject =>
  Object.fromEntries(
    [...Map.groupBy(codes, (code) => problems[code].status)].map(([status, ofStatus]) => {
      const component = COMMON_ERRORS.find((common) => ofStatus.every((code) => code === common));
      return [status, component ? refTo('responses', component) : describe(status, ofStatus)];
    }),
  );

const buildLinks = (links: NonNullable<EndpointDocument['links']>): JsonObject =>
  Object.fromEntries(
    Object.entries(links).map(([name, { endpoint, description }]) => [
      name,
      { operationId: documents[endpoint].operationId, description, parameters: { id: '$response.body#/id' } },
    ]),
  );

export const buildResponses = (id: EndpointId, endpoint: Endpoint, examples: Examples): JsonObject => {
  const examplesWith = (wanted: number) => namedExamples(examples(id).filter(({ status }) => status === wanted));
  const { success, responseHeaders, response, links } = documents[id];
  const { successStatus } = endpoint;
  const isSigned = signsAnswers(endpoint);
  return {
    [successStatus]: {
      description: success,
      headers: successHeaders(responseHeaders),
      content:
        response && contentOf('application/json', schemaInDocument(response), examplesWith(successStatus), isSigned),
      links: links && buildLinks(links),
    },
    ...errorResponses(problemCodesOf(endpoint), (status, codes) => {
      const shown = { ...sharedErrorExamples(codes), ...examplesWith(status) };
      // Every 404 of an endpoint that signs is about a vehicle.
      return problemResponse(status, codes, shown, isSigned && status === problems.VEHICLE_NOT_FOUND.status);
    }),
  };
};

/** The responses to paths and methods without an endpoint, for which OpenAPI has no place. */
export const otherRequests = (): JsonObject =>
  errorResponses([...COMMON_WITHOUT_SCOPE, 'ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'], problemResponse);

const objectOf = (properties: JsonObject): JsonObject => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const text = { type: 'string' };
const jsonContent = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });

const platformResponse = (description: string): JsonObject => ({
  description,
  content: jsonContent(objectOf({ message: text })),
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

const publicKey = objectOf({ kty: text, crv: text, x: text, y: text, kid: text, use: text, alg: text });

/**
 * The path of the public keys of signed answers. It is not an operation: importers send all operations to `/v1`, and
 * this path is not below that.
 */
export const publicKeys: JsonObject = {
  description: `Where the service signs answers, \`GET ${jwks.paths[0]}\` at its origin has the keys that verify them. It needs no API key.`,
  responses: {
    [jwks.successStatus]: {
      description: 'A JSON Web Key Set (RFC 7517)',
      headers: publicHeaders,
      content: jsonContent(objectOf({ keys: { type: 'array', items: publicKey } })),
    },
  },
};

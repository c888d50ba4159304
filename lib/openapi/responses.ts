/** The responses of each endpoint, by status. */

import { type ProblemCode, problems } from '../../core/problems.ts';
import type { EndpointDocument } from '../../functions/endpoints/document.ts';
import type { EndpointId } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint.ts';
import { endpoint as jwks } from '../../functions/jwks/endpoint.ts';
import { schemaInDocument } from './component-schemas.ts';
import { documents } from './endpoint-documents.ts';
import { meaningOf } from './error-list.ts';
import type { CommonError, Example, Examples } from './examples.ts';
import { type JsonObject, present, refTo } from './json.ts';
import { statusProblemSchema } from './problem-schema.ts';
import { problemHeaders, publicHeaders, successHeaders } from './response-headers.ts';

const PROBLEM_TYPE = 'application/problem+json';

const buildLinks = ({ links }: EndpointDocument): JsonObject | undefined =>
  links &&
  Object.fromEntries(
    Object.entries(links).map(([name, { endpoint, description }]) => [
      name,
      { operationId: documents[endpoint].operationId, description, parameters: { id: '$response.body#/id' } },
    ]),
  );

const namedExamples = (shown: readonly Example[]): JsonObject | undefined =>
  shown.length === 0
    ? undefined
    : Object.fromEntries(shown.map(({ name, summary, body }) => [name, { summary, value: body }]));

const joinMeanings = (codes: readonly ProblemCode[]): string =>
  codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join('\n\n');

/** The media type of a signed answer, beside that of the JSON. */
const signedContent: JsonObject = {
  'application/jwt': {
    schema: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{86}$',
      description: 'The signed answer, when `Accept` asks for it: a compact JWS, whose claim `answer` has the JSON',
    },
  },
};

/** The error response of a status, with the codes that share it. */
export const problemResponse = (
  status: number,
  codes: readonly ProblemCode[],
  shown: JsonObject = {},
  isSigned = false,
): JsonObject => ({
  description: joinMeanings(codes),
  headers: problemHeaders(status),
  content: {
    [PROBLEM_TYPE]: present({
      schema: statusProblemSchema(status, codes),
      examples: Object.keys(shown).length > 0 ? shown : undefined,
    }),
    ...(isSigned && signedContent),
  },
});

const success = (document: EndpointDocument, shown: readonly Example[], isSigned: boolean): JsonObject =>
  present({
    description: document.success,
    headers: successHeaders(document.responseHeaders),
    content: document.response && {
      'application/json': present({ schema: schemaInDocument(document.response), examples: namedExamples(shown) }),
      ...(isSigned && signedContent),
    },
    links: buildLinks(document),
  });

const commonErrors: readonly CommonError[] = ['UNAUTHORIZED', 'SCOPE_MISSING', 'RATE_LIMITED', 'INTERNAL_ERROR'];
const withoutScope = commonErrors.filter((code) => code !== 'SCOPE_MISSING');
/** The errors that an endpoint shares with others. `SCOPE_MISSING` is one only if the endpoint needs a scope. */
const commonOf = ({ scope }: Endpoint) => (scope ? commonErrors : withoutScope);

const bodyErrors = ['VALIDATION_FAILED', 'MALFORMED_JSON', 'UNSUPPORTED_CONTENT_TYPE', 'BODY_TOO_LARGE'] as const;
/** Whether callers may ask for a signed answer. */
export const signsAnswers = ({ signing }: Pick<Endpoint, 'signing'>): boolean => signing?.includes('Sign') === true;

/** The errors that an endpoint does not share with all others: those of a body and of a signature, if it has one, then the row's. */
const ownOf = (row: Endpoint): readonly ProblemCode[] => [
  ...(documents[row.id as EndpointId].body ? bodyErrors : []),
  ...row.problems,
  ...(signsAnswers(row) ? (['NOT_ACCEPTABLE'] as const) : []),
];

/** The code of every error of an endpoint. */
export const problemCodesOf = (row: Endpoint): ProblemCode[] => [...commonOf(row), ...ownOf(row)];

const platformMessage = (description: string): JsonObject => ({
  description,
  content: {
    'application/json': {
      schema: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
    },
  },
});

/**
 * API Gateway's own responses. They are not part of the operations: otherwise a typed client had to check whether `status` and
 * `code` exist before it could compare them.
 */
export const platformResponses: JsonObject = {
  description:
    'Rare responses to any request that API Gateway gives by itself: a message in place of a problem document, and none of the headers of this service. Decide by the status.',
  responses: {
    400: platformMessage('Malformed HTTP.'),
    413: platformMessage('Over 10,240 bytes of address and headers, or over 10 MB of body.'),
    429: platformMessage(
      "More requests at once than the stage allows. Send again after a pause, as after the service's own 429.",
    ),
    500: platformMessage('A function ended without a response. Treat it as 500 of the service.'),
    503: platformMessage('A function could not run, or did not respond in time. Treat it as 500 of the service.'),
  },
};

/** The responses with the errors that every endpoint shares, by code. */
export const componentResponses = (errors: Examples['errors']): JsonObject =>
  Object.fromEntries(
    commonErrors.map((code) => {
      const { status, body } = errors[code];
      return [code, problemResponse(status, [code], { rejected: { summary: meaningOf(code), value: body } })];
    }),
  );

const sharedResponses = (codes: readonly CommonError[]): JsonObject =>
  Object.fromEntries(codes.map((code) => [problems[code].status, refTo('responses', code)]));

const sharedExamples = (codes: readonly (keyof Examples['errors'])[], errors: Examples['errors']): JsonObject =>
  Object.fromEntries(
    codes.map((code) => [
      code.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      { summary: meaningOf(code), value: errors[code].body },
    ]),
  );

/** Every response of an endpoint, by status. */
export const buildResponses = (id: EndpointId, row: Endpoint, examples: Examples): JsonObject => {
  const withStatus = (wanted: number) => examples.of(id).filter(({ status }) => status === wanted);
  const common = commonOf(row);
  const ofStatus = Map.groupBy(ownOf(row), (code) => problems[code].status);
  const own = [...ofStatus].map(([status, codes]) => {
    // A status has one response. It describes the shared errors of the status too.
    const shared = common.filter((code) => problems[code].status === status);
    const shown = {
      ...sharedExamples(shared, examples.errors),
      ...namedExamples(withStatus(status)),
      ...(codes.includes('NOT_ACCEPTABLE') && sharedExamples(['NOT_ACCEPTABLE'], examples.errors)),
    };
    // Every 404 of these endpoints is about a vehicle.
    const isSigned = signsAnswers(row) && status === problems.VEHICLE_NOT_FOUND.status;
    return [status, problemResponse(status, [...shared, ...codes], shown, isSigned)];
  });
  return {
    [row.successStatus]: success(documents[id], withStatus(row.successStatus), signsAnswers(row)),
    ...sharedResponses(common),
    ...Object.fromEntries(own),
  };
};

const keyMembers = ['kty', 'crv', 'x', 'y', 'kid', 'use', 'alg'];

/** The public keys of signed answers, for an extension field: their path is not under `/v1`, and imports send everything there. */
export const publicKeys: JsonObject = {
  description: `Where the service signs answers, \`GET ${jwks.paths[0]}\` at its origin has the keys that verify them. It needs no API key.`,
  responses: {
    [jwks.successStatus]: {
      description: 'A JSON Web Key Set (RFC 7517)',
      headers: publicHeaders,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['keys'],
            properties: {
              keys: {
                type: 'array',
                items: {
                  type: 'object',
                  required: keyMembers,
                  properties: Object.fromEntries(keyMembers.map((name) => [name, { type: 'string' }])),
                },
              },
            },
          },
        },
      },
    },
  },
};

/** The responses to paths and methods without an endpoint, for an extension field: OpenAPI does not provide for them. */
export const otherRequests = (): JsonObject => ({
  ...sharedResponses(withoutScope),
  [problems.ROUTE_NOT_FOUND.status]: problemResponse(problems.ROUTE_NOT_FOUND.status, ['ROUTE_NOT_FOUND']),
  [problems.METHOD_NOT_ALLOWED.status]: problemResponse(problems.METHOD_NOT_ALLOWED.status, ['METHOD_NOT_ALLOWED']),
});

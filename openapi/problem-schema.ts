/** The schema of problem documents (RFC 9457), made from the error catalogue. */
import { MAX_ISSUES, type ProblemCode, problems, problemType } from '../core/problems.ts';
import { openCode, openText } from '../functions/endpoints/document.ts';
import { meaningOf } from './error-list.ts';
import { type JsonObject, refTo } from './json.ts';

const codes = Object.keys(problems) as ProblemCode[];

const codeSchema = (known: readonly ProblemCode[]) =>
  openCode(Object.fromEntries(known.map((code) => [code, meaningOf(code)])), 'For programs to decide by');

/** What is wrong with one part of a request. */
export const validationIssueSchema = {
  title: 'ValidationIssue',
  description: 'What is wrong with one part of the request',
  type: 'object',
  required: ['detail'],
  properties: {
    pointer: {
      type: 'string',
      format: 'json-pointer',
      description: 'Where in the body (RFC 6901); a missing field points at itself',
    },
    parameter: { type: 'string', description: 'The parameter or header, where it is not the body' },
    detail: { type: 'string', description: 'What is wrong with it' },
  },
  // `detail` and one of the other two. A `oneOf` would be exact, but client generators then drop the type.
  minProperties: 2,
} as const satisfies JsonObject;

export const problemSchema = {
  title: 'Problem',
  description: 'Why the request was rejected (RFC 9457)',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: openText(
      codes.map((code) => problemType(code)),
      'Stable address of the code, relative to the service; where documentation is published, the address of its section there',
    ),
    title: openText([...new Set(codes.map((code) => problems[code].title))], 'The reason phrase of the status'),
    status: { type: 'integer', description: 'As in the status line' },
    detail: { type: 'string', description: 'A sentence that a person can act on' },
    code: codeSchema(codes),
    requestId: { type: 'string', description: 'As in X-Request-Id; quote it when you ask for support' },
    errors: {
      type: 'array',
      maxItems: MAX_ISSUES,
      items: refTo('schemas', 'ValidationIssue'),
      description: 'Every validation issue, for invalid input',
    },
    suggestion: {
      type: 'string',
      description: 'For VEHICLE_NOT_FOUND: the registration that was probably meant; ask before you use it',
    },
  },
} as const satisfies JsonObject;

/** The strict schema of the problem document of one status, with the codes of that status. */
export const statusProblemSchema = (status: number, allowed: readonly ProblemCode[]): JsonObject => ({
  allOf: [
    refTo('schemas', 'Problem'),
    {
      type: 'object',
      required: ['status', 'code'],
      properties: { status: { type: 'integer', enum: [status] }, code: codeSchema(allowed) },
    },
  ],
});

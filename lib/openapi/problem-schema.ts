/** The schema of problem documents (RFC 9457), made from the error catalogue. */
import { MAX_ISSUES, type ProblemCode, problems, problemType } from '../../core/problems.ts';
import { openCode } from '../../functions/endpoints/document.ts';
import { type JsonObject, refTo } from './json.ts';

const codes = Object.keys(problems) as ProblemCode[];

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

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

/** The problem document of every error. */
export const problemSchema = {
  title: 'Problem',
  description: 'Why the request was rejected (RFC 9457)',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: openCode(
      codes.map((code) => problemType(code)),
      {
        description:
          'Stable address of the code, relative to the service; where documentation is published, the address of its section there',
      },
    ),
    title: openCode(distinct(codes.map((code) => problems[code].title))),
    status: { type: 'integer', description: 'As in the status line' },
    detail: { type: 'string', description: 'A sentence that a person can act on' },
    code: openCode(codes, { description: 'For programs to decide by' }),
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

/**
 * The schema of the problem document of one status, with the codes of that status. A TypeScript client narrows the union of an
 * operation's errors by `status` and then compares `code`. Codes are open (`openCode`), so a variant per code would not narrow
 * the union further.
 */
export const problemOf = (status: number, allowed: readonly ProblemCode[]): JsonObject => ({
  allOf: [
    refTo('schemas', 'Problem'),
    {
      type: 'object',
      required: ['status', 'code'],
      properties: { status: { enum: [status] }, code: openCode(allowed) },
    },
  ],
});

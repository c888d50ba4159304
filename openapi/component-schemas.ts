/**
 * The schemas of the document. A schema of an endpoint with a title is a component, and is referenced everywhere else.
 */
import { MAX_ISSUES, type ProblemCode, problems, problemType } from '../core/problems.ts';
import { openCode, openText } from '../functions/endpoints/document.ts';
import { documents } from './endpoint-documents.ts';
import { meaningOf } from './error-list.ts';
import { type JsonObject, refTo } from './json.ts';

const codes = Object.keys(problems) as ProblemCode[];

const codeSchema = (known: readonly ProblemCode[]) =>
  openCode(Object.fromEntries(known.map((code) => [code, meaningOf(code)])), 'For programs to decide by');

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
    sources: refTo('schemas', 'Sources'),
  },
} as const satisfies JsonObject;

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

/** Replaces each schema that has a title by a reference, and adds that schema to `components`. */
export const schemaInDocument = (schema: unknown, components = new Map<string, unknown>()): unknown =>
  JSON.parse(JSON.stringify(schema), (_key, value) => {
    if (typeof value?.title !== 'string') return value;
    components.set(value.title, value);
    return refTo('schemas', value.title);
  });

/**
 * Adds the rule that an update has at least one field, which the service checks in code. The `anyOf` is in an `allOf`:
 * type generators take an `anyOf` next to `properties` for another type.
 */
const atLeastOneField = (update: unknown, create: unknown): JsonObject => ({
  ...(update as JsonObject),
  allOf: [
    { anyOf: Object.keys((create as { properties: JsonObject }).properties).map((field) => ({ required: [field] })) },
  ],
});

export const componentSchemas = (): JsonObject => {
  const components = new Map<string, unknown>();
  for (const { body, response } of Object.values(documents)) schemaInDocument([body, response], components);
  const schemas = Object.fromEntries([...components].sort(([a], [b]) => a.localeCompare(b)));
  return {
    ...schemas,
    UpdateContent: atLeastOneField(schemas.UpdateContent, schemas.CreateContent),
    Problem: problemSchema,
    ValidationIssue: validationIssueSchema,
  };
};

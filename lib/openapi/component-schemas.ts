/** The endpoints' schemas as components. A schema with a title is a component of that name, and is referenced everywhere else. */
import { documents } from './endpoint-documents.ts';
import { isObject, type JsonObject, refTo } from './json.ts';
import { problemSchema, validationIssueSchema } from './problem-schema.ts';

const rewrite = (value: unknown, collected: Map<string, unknown>, isRoot: boolean): unknown => {
  if (Array.isArray(value)) return value.map((entry) => rewrite(entry, collected, false));
  if (!isObject(value)) return value;
  const { title } = value;
  if (!isRoot && typeof title === 'string') {
    collect(value, title, collected);
    return refTo('schemas', title);
  }
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, rewrite(entry, collected, false)]));
};

const collect = (schema: JsonObject, title: string, collected: Map<string, unknown>): void => {
  if (collected.has(title)) return;
  // Set first, so that the recursion ends at a schema that contains itself.
  collected.set(title, undefined);
  collected.set(title, rewrite(schema, collected, true));
};

/** The schema with a reference to a component in place of each schema that has a title. */
export const schemaInDocument = (schema: unknown): unknown => rewrite(schema, new Map(), false);

/**
 * Adds to the schema of an update that at least one field is required, which the service checks in code. The `anyOf` is inside
 * an `allOf`, because type generators take an `anyOf` next to `properties` for another type.
 */
const atLeastOneField = (update: unknown, create: unknown): JsonObject => ({
  ...(update as JsonObject),
  allOf: [
    { anyOf: Object.keys((create as { properties: JsonObject }).properties).map((field) => ({ required: [field] })) },
  ],
});

/** Every schema that has a title, by title. */
export const componentSchemas = (): JsonObject => {
  const collected = new Map<string, unknown>();
  for (const { body, response } of Object.values(documents)) rewrite([body, response], collected, false);
  const schemas = Object.fromEntries([...collected].sort(([a], [b]) => a.localeCompare(b)));
  return {
    ...schemas,
    UpdateContent: atLeastOneField(schemas.UpdateContent, schemas.CreateContent),
    Problem: problemSchema,
    ValidationIssue: validationIssueSchema,
  };
};

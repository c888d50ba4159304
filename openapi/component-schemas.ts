/** The endpoints' schemas. A schema with a title is a component, and is referenced everywhere else. */
import { documents } from './endpoint-documents.ts';
import { type JsonObject, refTo } from './json.ts';
import { problemSchema, validationIssueSchema } from './problem-schema.ts';

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

/** Every schema that has a title, by title. */
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

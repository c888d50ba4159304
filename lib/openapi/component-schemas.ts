/** The endpoints' schemas as components: a schema with a title is written once, under that title, and referenced elsewhere. */
import { documents } from './documents.ts';
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
  // Set first: the recursion would not end on a schema that contains itself.
  collected.set(title, undefined);
  collected.set(title, rewrite(schema, collected, true));
};

/** A schema with references to components in place of everything that has a title. */
export const schemaInDocument = (schema: unknown): unknown => rewrite(schema, new Map(), false);

/**
 * An update needs at least one field of a creation. The service checks that in code, so the schema is extended here.
 * The `anyOf` is inside an `allOf`: beside `properties`, type generators take it for another type.
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

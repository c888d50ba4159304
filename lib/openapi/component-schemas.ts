/** The rows' schemas as components: what has a title is written once, under it, and referred to from everywhere else. */
import { type Endpoint, endpoints } from '../../functions/endpoints.ts';
import { isObject, type JsonObject } from './json.ts';
import { problemSchema, validationIssueSchema } from './problem-schema.ts';
import { refTo } from './references.ts';

const rows: readonly Endpoint[] = Object.values(endpoints);

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
  // Taken at once, so that a schema that contains itself would end.
  collected.set(title, undefined);
  collected.set(title, rewrite(schema, collected, true));
};

/** A schema as the document writes it: components in place of everything that has a title. */
export const schemaInDocument = (schema: unknown): unknown => rewrite(schema, new Map(), false);

/**
 * An update needs one of the fields that a creation takes; the service checks it by a rule that no schema holds.
 * The choice stands in an `allOf` of its own, since type generators read one beside the properties as another type.
 */
const atLeastOneField = (update: unknown, create: unknown): JsonObject => ({
  ...(update as JsonObject),
  allOf: [
    { anyOf: Object.keys((create as { properties: JsonObject }).properties).map((field) => ({ required: [field] })) },
  ],
});

/** Every schema that has a name, by that name. */
export const componentSchemas = (): JsonObject => {
  const collected = new Map<string, unknown>();
  for (const { body, response } of rows) rewrite([body, response], collected, false);
  const schemas = Object.fromEntries([...collected].sort(([a], [b]) => a.localeCompare(b)));
  return {
    ...schemas,
    UpdateContent: atLeastOneField(schemas.UpdateContent, schemas.CreateContent),
    Problem: problemSchema,
    ValidationIssue: validationIssueSchema,
  };
};

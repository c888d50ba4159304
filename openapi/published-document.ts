/**
 * The published OpenAPI document: the strict form without unions and narrowed errors, from which generators made 692
 * types in Go and a Java client that did not compile. Whatever fits the strict form fits this one.
 */
import { isObject, type JsonObject } from './json.ts';
import { strictDocument } from './strict-document.ts';

type Schemas = Readonly<Record<string, JsonObject>>;

const REFERENCE = '#/components/schemas/';

const isEvery = (type: string, schemas: readonly JsonObject[]): boolean =>
  schemas.every((schema) => schema.type === type);

/** One object with the fields of all, as the first one has them. A field is required if all require it. */
const mergeObjects = (objects: readonly JsonObject[]): JsonObject => {
  const properties = objects.map((object) => object.properties as JsonObject);
  const [first = [], ...others] = objects.map(({ required }) => required as readonly string[]);
  return {
    type: 'object',
    required: first.filter((name) => others.every((names) => names.includes(name))),
    properties: Object.assign({}, ...properties, ...properties.toReversed()),
  };
};

/** The schema that replaces an `anyOf`. A reference or null stays an `anyOf`, because every generator supports it. */
const plainAlternatives = (anyOf: readonly JsonObject[], schemas: Schemas): JsonObject => {
  const [first = {}, ...others] = anyOf;
  if (isEvery('null', others)) return first.type ? { ...first, type: [first.type, 'null'] } : { anyOf };
  // This is the schema of known values or any other string (`openText`).
  if (isEvery('string', anyOf)) return { type: 'string', examples: first.enum };
  return mergeObjects(anyOf.map(({ $ref }) => schemas[String($ref).slice(REFERENCE.length)] ?? {}));
};

const withPlainAlternatives = (node: unknown, schemas: Schemas): unknown => {
  if (Array.isArray(node)) return node.map((entry) => withPlainAlternatives(entry, schemas));
  if (!isObject(node)) return node;
  const { anyOf, allOf, ...rest } = node as JsonObject & {
    readonly [key in 'anyOf' | 'allOf']?: readonly JsonObject[];
  };
  // An `allOf` becomes its reference alone: what narrows it would make a type for each status of each operation.
  const widened = { ...(anyOf && plainAlternatives(anyOf, schemas)), ...allOf?.find(({ $ref }) => $ref), ...rest };
  return Object.fromEntries(
    Object.entries(widened).map(([key, value]) => [
      key,
      key === 'examples' ? value : withPlainAlternatives(value, schemas),
    ]),
  );
};

/** @param origin as of the strict form: without it the document has a local server and one to be filled in */
export const openApiDocument = (origin?: string): JsonObject => {
  const strict = strictDocument(origin);
  const { schemas } = strict.components as { readonly schemas: Schemas };
  const document = withPlainAlternatives(strict, schemas) as JsonObject & {
    readonly components: { readonly schemas: Schemas };
  };
  const text = JSON.stringify(document);
  const used = Object.entries(document.components.schemas).filter(([name]) => text.includes(`"${REFERENCE}${name}"`));
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(used) } };
};

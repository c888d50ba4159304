/** Any JSON object of the document. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object or array. */
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

/** The entries whose value is not undefined. */
export const present = (entries: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));

/** A reference to a component of the document. */
export const refTo = (section: 'schemas' | 'headers' | 'responses', name: string): JsonObject => ({
  $ref: `#/components/${section}/${name}`,
});

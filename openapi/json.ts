export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object or array. */
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

export const refTo = (section: 'schemas' | 'headers' | 'responses', name: string): JsonObject => ({
  $ref: `#/components/${section}/${name}`,
});

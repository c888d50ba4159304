import type { JsonObject } from './json.ts';

/** A reference to a component of the document. */
export const refTo = (section: 'schemas' | 'headers' | 'responses', name: string): JsonObject => ({
  $ref: `#/components/${section}/${name}`,
});

/** A JSON object of the document, whatever its shape. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value has members, by name or by index. */
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

/** Entries whose value is there. */
export const present = (entries: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));

import type * as T from 'typebox';

/**
 * The part of JSON Schema in which records are declared. Plain objects, so that lookups read records without importing
 * typebox, which costs 6 ms of a cold start.
 */
export interface RecordSchema {
  readonly type?: 'string' | 'boolean' | 'integer' | 'array' | 'object';
  readonly format?: 'date' | 'date-time';
  readonly minimum?: number;
  readonly maxItems?: number;
  readonly items?: RecordSchema;
  readonly properties?: Readonly<Record<string, RecordSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly RecordSchema[];
  readonly const?: boolean;
  readonly enum?: readonly string[];
}

type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value;

export type RecordOf<Schema> = Immutable<T.Static<Schema & T.TSchema>>;

export type Fields = Readonly<Record<string, unknown>>;

const readTolerantly = (schema: RecordSchema, value: unknown): unknown => {
  const { type, anyOf, items = {}, properties = {}, required = [] } = schema;
  if (anyOf) return anyOf.map((one) => readTolerantly(one, value)).find((read) => read !== undefined);
  if (type === 'object') {
    if (typeof value !== 'object' || value === null) return undefined;
    const record: Record<string, unknown> = {};
    for (const field in properties) {
      const stored = (value as Fields)[field];
      if (stored === undefined && !required.includes(field)) continue;
      const read = readTolerantly(properties[field] ?? {}, stored);
      if (read === undefined) return undefined;
      record[field] = read;
    }
    return record;
  }
  if (type === 'array') {
    const read = Array.isArray(value) ? value.map((item) => readTolerantly(items, item)) : [undefined];
    return read.includes(undefined) ? undefined : read;
  }
  if (type === 'string' || type === 'boolean') return typeof value === type ? value : undefined;
  if (type === 'integer') return Number.isInteger(value) ? value : undefined;
  return value === schema.const || schema.enum?.includes(value as string) ? value : undefined;
};

/**
 * Reads a stored value by its schema; undefined when it does not fit. Tolerant, because other versions wrote it: checks
 * only types and required fields, and leaves out unknown attributes. Formats and limits apply to new records.
 */
export const readStored = <const Schema extends RecordSchema>(
  schema: Schema,
  value: unknown,
): RecordOf<Schema> | undefined => readTolerantly(schema, value) as RecordOf<Schema> | undefined;

/** A stored record does not fit its schema. The message names it, unless its name is personal data. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/**
 * Like `readStored`, for a record without which there is no response.
 * @param name the record, for the operator's log; never a registration, which is personal data
 * @throws UnreadableRecord
 */
export const parseStored = <const Schema extends RecordSchema>(
  schema: Schema,
  value: unknown,
  name?: string,
): RecordOf<Schema> => {
  const record = readStored(schema, value);
  if (record === undefined) throw new UnreadableRecord(name);
  return record;
};

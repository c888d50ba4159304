import type * as T from 'typebox';

/**
 * The part of JSON Schema in which records are declared. Records are plain objects, not made by typebox: functions that
 * only look up a record read it by its schema without importing the library, which would cost 6 ms of a cold start.
 */
export interface RecordSchema {
  readonly type?: 'string' | 'integer' | 'array' | 'object';
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

/** The type of a record, from its schema. */
export type RecordOf<Schema> = Immutable<T.Static<Schema & T.TSchema>>;

/** The fields of a value before it is read. */
export type Fields = Readonly<Record<string, unknown>>;

/** How the values in a record are read, each by its schema; undefined for one that does not fit. `name` is as `nameOf` gives it. */
export interface Reading {
  /** Whether a value that does not fit ends the reading: its result is undefined then, otherwise no record. */
  readonly endsEarly: boolean;
  readonly nameOf?: (parent: string, step: string | number) => string;
  /** Fields, by their own names, that are read otherwise than by their schema. */
  readonly rules?: Readonly<Record<string, (name: string, value: unknown) => unknown>>;
  readonly fields: (schema: RecordSchema, value: unknown, name: string) => Fields | undefined;
  readonly items: (schema: RecordSchema, value: unknown, name: string) => readonly unknown[] | undefined;
  /** Which of the alternatives the value is. */
  readonly alternative: (of: readonly RecordSchema[], value: unknown, name: string) => RecordSchema | undefined;
  /** A value without parts. */
  readonly scalar: (schema: RecordSchema, value: unknown, name: string) => unknown;
}

const readFields = (reading: Reading, schema: RecordSchema, fields: Fields, parent: string) => {
  const { properties = {}, required = [] } = schema;
  const record: Record<string, unknown> = {};
  for (const field in properties) {
    const value = fields[field];
    const rule = reading.rules?.[field];
    if (value === undefined && rule === undefined && !required.includes(field)) continue;
    const name = reading.nameOf?.(parent, field) ?? '';
    const read = rule ? rule(name, value) : readRecord(reading, properties[field] ?? {}, value, name);
    if (read === undefined && reading.endsEarly) return undefined;
    record[field] = read;
  }
  return record;
};

/** Reads a value by a schema. */
export const readRecord = (reading: Reading, schema: RecordSchema, value: unknown, name = ''): unknown => {
  if (schema.anyOf) {
    const chosen = reading.alternative(schema.anyOf, value, name);
    return chosen && readRecord(reading, chosen, value, name);
  }
  if (schema.type === 'object') {
    const fields = reading.fields(schema, value, name);
    return fields && readFields(reading, schema, fields, name);
  }
  if (schema.type !== 'array') return reading.scalar(schema, value, name);
  const items = reading
    .items(schema, value, name)
    ?.map((item, index) => readRecord(reading, schema.items ?? {}, item, reading.nameOf?.(name, index)));
  return reading.endsEarly && items?.includes(undefined) ? undefined : items;
};

/** Checks types and required fields only. */
const TOLERANT: Reading = {
  endsEarly: true,
  fields: (_, value) => (typeof value === 'object' && value !== null ? (value as Fields) : undefined),
  items: (_, value) => (Array.isArray(value) ? value : undefined),
  alternative: (of, value) => of.find((one) => readRecord(TOLERANT, one, value) !== undefined),
  scalar: ({ type, const: only, enum: known }, value) => {
    if (type === 'string') return typeof value === type ? value : undefined;
    if (type === 'integer') return Number.isInteger(value) ? value : undefined;
    return value === only || known?.includes(value as string) ? value : undefined;
  },
};

/**
 * Reads a stored value by its schema; undefined when it does not fit. Tolerant, because rows of earlier and later versions
 * are read every day: it checks types and required fields only (formats and limits apply to new records), and leaves out
 * attributes that the schema does not have.
 * @example
 * const policies = readStored(VehicleRecord.properties.policies, item.policies);
 */
export const readStored = <const Schema extends RecordSchema>(
  schema: Schema,
  value: unknown,
): RecordOf<Schema> | undefined => readRecord(TOLERANT, schema, value) as RecordOf<Schema> | undefined;

/** A stored record does not fit its schema. No response is made from it. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/**
 * As `readStored`, for a record without which there is no response. @throws UnreadableRecord
 * @example
 * const vehicle = parseStored(VehicleRecord, item);
 */
export const parseStored = <const Schema extends RecordSchema>(schema: Schema, value: unknown): RecordOf<Schema> => {
  const record = readStored(schema, value);
  if (record === undefined) throw new UnreadableRecord();
  return record;
};

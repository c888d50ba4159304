import type { Fields, RecordOf, RecordSchema } from '../../core/schemas/record-schema.ts';
import type { FieldChecks } from './field-checks.ts';

/** Fields, by their own names, that are read otherwise than by their schema. */
type FieldRules = Readonly<Record<string, (name: string, value: unknown) => unknown>>;

/** Exactly one must be given, such as a due date or an exemption. */
const givenAlternative = (check: FieldChecks, alternatives: readonly RecordSchema[], value: unknown, name: string) => {
  const isGiven = ({ required = [] }: RecordSchema) =>
    required.every((field) => (value as Fields | null | undefined)?.[field] !== undefined);
  const given = alternatives.filter(isGiven);
  if (given.length === 1) return given[0];
  const names = alternatives.flatMap(({ required = [] }) => required);
  check.object(name, value, names);
  check.issue(name, `must have exactly one of ${names.join(', ')}`);
  return undefined;
};

const readScalar = (check: FieldChecks, schema: RecordSchema, value: unknown, name: string): unknown => {
  if (schema.type === 'integer') return check.count(name, value);
  if (schema.type === 'string') {
    if (schema.format === 'date') return check.day(name, value);
    return schema.format === 'date-time' ? check.timestamp(name, value) : check.text(name, value);
  }
  if (value !== schema.const) check.issue(name, `must be ${schema.const}`);
  return schema.const;
};

/**
 * Reads a row strictly by a schema; a record only when `check` has no issue. `rules` read fields in another way.
 * An NDJSON line may have no other fields; a CSV row may, and its columns have the names of `columnOf`.
 */
export const readFields = <const Schema extends RecordSchema>(
  check: FieldChecks,
  schema: Schema,
  fields: Fields,
  rules: FieldRules,
  columnOf?: (field: string) => string,
): RecordOf<Schema> => {
  const readObject = ({ properties = {}, required = [] }: RecordSchema, object: Fields, parent: string) => {
    const record: Record<string, unknown> = {};
    for (const field in properties) {
      const [value, rule] = [object[field], rules[field]];
      if (value === undefined && rule === undefined && !required.includes(field)) continue;
      const name = columnOf?.(field) ?? (parent === '' ? field : `${parent}.${field}`);
      record[field] = rule ? rule(name, value) : readValue(properties[field] ?? {}, value, name);
    }
    return record;
  };

  const readArray = (
    { items = {}, maxItems = Number.POSITIVE_INFINITY }: RecordSchema,
    value: unknown,
    name: string,
  ) => {
    if (!Array.isArray(value)) check.issue(name, value === undefined ? 'is missing' : 'must be an array');
    else if (value.length > maxItems) check.issue(name, `must have at most ${maxItems} entries`);
    else return value.map((item, index) => readValue(items, item, `${name}[${index}]`));
    return [];
  };

  const readValue = (schema: RecordSchema, value: unknown, name: string): unknown => {
    if (schema.anyOf) {
      const given = givenAlternative(check, schema.anyOf, value, name);
      return given && readValue(given, value, name);
    }
    if (schema.type === 'array') return readArray(schema, value, name);
    if (schema.type !== 'object') return readScalar(check, schema, value, name);
    return readObject(schema, check.object(name, value, Object.keys(schema.properties ?? {})), name);
  };

  return (columnOf ? readObject(schema, fields, '') : readValue(schema, fields, '')) as RecordOf<Schema>;
};

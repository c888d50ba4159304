import type { RecordOf, RecordSchema } from '../../../../core/schemas/stored-record.ts';
import type { FieldChecks } from './field-checks.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a record that are read otherwise than by their schema: `name` is the field's name in the file. */
export type FieldRules = Readonly<Record<string, (name: string, value: unknown) => unknown>>;

interface Reading {
  readonly check: FieldChecks;
  readonly rules: FieldRules;
}

/** A value of which exactly one of several fields must be given, such as a due date or an exemption. */
const readAlternative = (reading: Reading, alternatives: readonly RecordSchema[], name: string, value: unknown) => {
  const names = alternatives.flatMap(({ required = [] }) => required);
  const fields = reading.check.object(name, value, names);
  const given = alternatives.filter(({ required = [] }) => required.every((field) => fields[field] !== undefined));
  const [only] = given;
  if (only && given.length === 1) return readProperties(reading, only, fields, (field) => `${name}.${field}`);
  reading.check.issue(name, `must have exactly one of ${names.join(', ')}`);
  return undefined;
};

const readItems = (
  reading: Reading,
  { items = {}, maxItems = Number.POSITIVE_INFINITY }: RecordSchema,
  name: string,
  value: unknown,
) => {
  const { check } = reading;
  if (!Array.isArray(value)) check.issue(name, value === undefined ? 'is missing' : 'must be an array');
  else if (value.length > maxItems) check.issue(name, `must have at most ${maxItems} entries`);
  else return value.map((item: unknown, index) => readValue(reading, items, `${name}[${index}]`, item));
  return [];
};

const readValue = (reading: Reading, schema: RecordSchema, name: string, value: unknown): unknown => {
  const { check } = reading;
  if (schema.anyOf) return readAlternative(reading, schema.anyOf, name, value);
  switch (schema.type) {
    case 'object': {
      const fields = check.object(name, value, Object.keys(schema.properties ?? {}));
      return readProperties(reading, schema, fields, (field) => `${name}.${field}`);
    }
    case 'array':
      return readItems(reading, schema, name, value);
    case 'integer':
      return check.count(name, value);
    case 'string':
      if (schema.format === 'date') return check.day(name, value);
      return schema.format === 'date-time' ? check.timestamp(name, value) : check.text(name, value);
    default:
      if (value !== schema.const) check.issue(name, `must be ${schema.const}`);
      return schema.const;
  }
};

const readProperties = (
  reading: Reading,
  { properties = {} }: RecordSchema,
  fields: Fields,
  nameOf: (field: string) => string,
): Record<string, unknown> => {
  const record: Record<string, unknown> = {};
  for (const field in properties) {
    const rule = reading.rules[field];
    const name = nameOf(field);
    record[field] = rule ? rule(name, fields[field]) : readValue(reading, properties[field] ?? {}, name, fields[field]);
  }
  return record;
};

/**
 * Reads a new record by its schema, strictly: every issue is reported to `check`, under the name that the file has for the
 * field. What it returns is a record only when there is no issue.
 *
 * @example
 * const policy = readFields(check, Policy, row.fields, (field) => POLICY_COLUMNS[field], {});
 */
export const readFields = <const Schema extends RecordSchema>(
  check: FieldChecks,
  schema: Schema,
  fields: Fields,
  nameOf: (field: string) => string,
  rules: FieldRules,
): RecordOf<Schema> => readProperties({ check, rules }, schema, fields, nameOf) as RecordOf<Schema>;

/** Reads the object of an NDJSON line, which may have the fields of the schema only. */
export const readLine = <const Schema extends RecordSchema>(
  check: FieldChecks,
  schema: Schema,
  fields: Fields,
  rules: FieldRules,
): RecordOf<Schema> =>
  readFields(check, schema, check.object('', fields, Object.keys(schema.properties ?? {})), (field) => field, rules);

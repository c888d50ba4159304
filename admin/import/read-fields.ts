import type { Fields, RecordOf, RecordSchema } from '../../core/schemas/record-schema.ts';
import { Erasure } from '../../core/vehicles/erasure.ts';
import type { ReadOptions, ReadRows } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import type { RecordChange } from '../records/decide-change.ts';
import { type FieldChecks, fieldChecks } from './field-checks.ts';

type FieldRules = Readonly<Record<string, (name: string, value: unknown) => unknown>>;

/** The alternative that is given, such as an exemption. It is an issue when none or several are given. */
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
  if (schema.type === 'integer') return check.wholeNumber(name, value, 0);
  if (schema.type === 'string') {
    if (schema.format === 'date') return check.day(name, value);
    return schema.format === 'date-time' ? check.timestamp(name, value) : check.text(name, value);
  }
  if (value !== schema.const) check.issue(name, `must be ${schema.const}`);
  return schema.const;
};

/**
 * Reads a row strictly by a schema. The result is a valid record only when `check` has no issue. A field with a rule in
 * `rules` is read by that rule. Without `columnOf` the row is a line of NDJSON, which may have no other fields. With
 * `columnOf`, which names the column of each field, it is a row of a CSV file, which may have other columns.
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
      const name = columnOf?.(field) ?? (parent === '' ? field : `${parent}.${field}`);
      const property = properties[field] ?? {};
      const value = object[columnOf ? name : field];
      // Rules are of texts and numbers: a supplier may be called `year`.
      const rule = property.type === 'object' ? undefined : rules[field];
      if (value === undefined && rule === undefined && !required.includes(field)) continue;
      record[field] = rule ? rule(name, value) : readValue(property, value, name);
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

/** Reads a row as a change, which is valid only when `check` has no issue. Undefined only when it has one. */
export type ReadRow = (check: FieldChecks, fields: Row['fields'], registration: string) => RecordChange | undefined;

const readErasure: ReadRow = (check, fields, registration) => {
  const { erased } = readFields(check, Erasure, fields, {
    registration: () => registration,
    // An ARN, which the reader of exports must accept however long it is.
    by: (name, value) => check.text(name, value, Number.POSITIVE_INFINITY),
  });
  return { kind: 'copyErasure', registration, state: { erased } };
};

/** A line of an export: an erasure, when one was undone, or a record, which may say that too. */
const readRestored =
  (readRecord: ReadRow): ReadRow =>
  (check, { erasureUndone, ...fields }, registration) => {
    if (fields.erased !== undefined) return readErasure(check, fields, registration);
    if (erasureUndone === undefined) return readRecord(check, fields, registration);
    const at = check.timestamp('erasureUndone', erasureUndone);
    if (Object.keys(fields).length === 1) {
      return { kind: 'copyErasure', registration, state: { erasureUndone: at } };
    }
    const change = readRecord(check, fields, registration);
    return change && { ...change, erasureUndone: at };
  };

/** Fields that only a line of an export has. No supplier can erase a vehicle, undo that, or say what others supply. */
const EXPORTED_FIELDS = ['erased', 'erasureUndone', 'supplied', 'fines'];

const rejectExported =
  (readRecord: ReadRow): ReadRow =>
  (check, fields, registration) => {
    const name = EXPORTED_FIELDS.find((field) => fields[field] !== undefined);
    if (name === undefined) return readRecord(check, fields, registration);
    check.issue(name, 'this is a line of an export; only --restore loads it');
    return undefined;
  };

/** Parts are a map, which JSON would leave out. */
const asText = (value: unknown): string => JSON.stringify(value, (_name, one) => (one instanceof Map ? [...one] : one));

/** Equal rows count as one. Rows that differ are rejected, because it is unclear which one is right. */
export const readWholeRecords = (
  rows: readonly Row[],
  registration: string,
  options: ReadOptions,
  read: ReadRow,
): ReadRows => {
  const results = rows.map((row) => {
    const check = fieldChecks(options);
    if (row.issue !== undefined) check.reasons.push(row.issue);
    const readRow = options.restore ? readRestored(read) : rejectExported(read);
    return { row, reasons: check.reasons, change: readRow(check, row.fields, registration) };
  });
  const changes = new Set(results.map(({ change, reasons }) => asText([change, reasons])));
  const [first, second] = results;
  if (first?.change && first.reasons.length === 0 && changes.size === 1) {
    return { change: first.change, repeated: rows.length - 1 };
  }
  const differ = new Set(results.map(({ change }) => asText(change))).size > 1;
  const contradiction = (line: number | undefined) =>
    `this vehicle is on line ${line} too${differ ? ', with other values' : ''}; leave one of them`;
  return {
    rejected: results.map(({ row, reasons }) => ({
      row,
      reasons: second ? [...reasons, contradiction((row === first?.row ? second : first)?.row.line)] : reasons,
    })),
  };
};

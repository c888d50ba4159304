import {
  type Fields,
  type Reading,
  type RecordOf,
  type RecordSchema,
  readRecord,
} from '../../../core/schemas/record.ts';
import type { FieldChecks } from './field-checks.ts';

type FieldRules = NonNullable<Reading['rules']>;

/** Reports every issue to `check`. */
const strict = (check: FieldChecks, rules: FieldRules): Reading => ({
  endsEarly: false,
  rules,
  nameOf: (parent, step) => {
    if (typeof step === 'number') return `${parent}[${step}]`;
    return parent === '' ? step : `${parent}.${step}`;
  },

  fields: ({ properties = {} }, value, name) => check.object(name, value, Object.keys(properties)),

  items: ({ maxItems = Number.POSITIVE_INFINITY }, value, name) => {
    if (!Array.isArray(value)) check.issue(name, value === undefined ? 'is missing' : 'must be an array');
    else if (value.length > maxItems) check.issue(name, `must have at most ${maxItems} entries`);
    else return value;
    return [];
  },

  /** Exactly one must be given, such as a due date or an exemption. */
  alternative: (of, value, name) => {
    const isGiven = ({ required = [] }: RecordSchema) =>
      required.every((field) => (value as Fields | null | undefined)?.[field] !== undefined);
    const given = of.filter(isGiven);
    if (given.length === 1) return given[0];
    const names = of.flatMap(({ required = [] }) => required);
    check.object(name, value, names);
    check.issue(name, `must have exactly one of ${names.join(', ')}`);
    return undefined;
  },

  scalar: ({ type, format, const: only }, value, name) => {
    if (type === 'integer') return check.count(name, value);
    if (type === 'string') {
      if (format === 'date') return check.day(name, value);
      return format === 'date-time' ? check.timestamp(name, value) : check.text(name, value);
    }
    if (value !== only) check.issue(name, `must be ${only}`);
    return only;
  },
});

/**
 * Reads a row by a schema, strictly: every issue is reported to `check`. What it returns is a record only when there is no
 * issue. `rules` read fields otherwise than by their schema. An NDJSON line may have the fields of the schema only; a CSV row
 * has columns of other schemas too, whose names are those of `columnOf`.
 * @example
 * const details = readFields(check, VehicleDetails, row.fields, { model: check.textOrEmpty }, (field) => field);
 */
export const readFields = <const Schema extends RecordSchema>(
  check: FieldChecks,
  schema: Schema,
  fields: Fields,
  rules: FieldRules,
  columnOf?: (field: string) => string,
): RecordOf<Schema> => {
  const ofCsv = columnOf && {
    nameOf: (_: string, step: string | number) => columnOf(String(step)),
    fields: () => fields,
  };
  return readRecord({ ...strict(check, rules), ...ofCsv }, schema, fields) as RecordOf<Schema>;
};

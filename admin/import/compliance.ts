import { ComplianceRecord, PART_CONTENT } from '../../core/compliance/compliance-record.ts';
import type { Fields, RecordSchema } from '../../core/schemas/record-schema.ts';
import type { Columns } from '../files/columns.ts';
import type { RecordRules } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import {
  COMPLIANCE_FILE,
  COMPLIANCE_PARTS,
  type CompliancePart,
  PART_ATTRIBUTES,
  partTarget,
  readComplianceParts,
  WHOLE_COMPLIANCE,
} from '../records/compliance-parts.ts';
import type { GivenPart } from '../records/record-target.ts';
import { asNumber, cellValue, type FieldChecks, isBlank } from './field-checks.ts';
import { type ReadRow, readFields, readWholeRecords } from './read-fields.ts';

/** How a file gives a part: by columns of a CSV, by a field of a line of NDJSON. */
interface PartForm {
  /** The column that is required, and those that say yes or no in its place, each with the field that is then true. */
  readonly column: string;
  readonly flags: Readonly<Record<string, string>>;
  /** The field of a line, and its schema. */
  readonly field: string;
  readonly schema: RecordSchema;
  readonly read: (check: FieldChecks, name: string, value: unknown) => object;
}

const FORMS: Readonly<Record<CompliancePart, PartForm>> = {
  mot: {
    column: 'mot_due',
    flags: { mot_exempt: 'exempt' },
    field: 'mot',
    schema: PART_CONTENT.mot,
    read: (check, name, value) => ({ dueDate: check.day(name, value) }),
  },
  tax: {
    column: 'tax_paid_until',
    flags: { tax_exempt: 'exempt', sorn: 'sorn' },
    field: 'roadTax',
    schema: PART_CONTENT.roadTax,
    read: (check, name, value) => ({ paidUntil: check.day(name, value) }),
  },
  fines: {
    column: 'outstanding_fines',
    flags: {},
    field: 'outstandingFines',
    schema: PART_CONTENT.fines.properties.outstanding,
    read: (check, name, value) => ({ outstanding: check.wholeNumber(name, asNumber(value), 0) }),
  },
};

const columnsOf = (part: CompliancePart): string[] => [FORMS[part].column, ...Object.keys(FORMS[part].flags)];

export const partColumns = (part: CompliancePart): Columns => {
  const [column = '', ...flags] = columnsOf(part);
  return { required: ['registration', column], optional: [...flags, 'last_updated'] };
};

export const COMPLIANCE_COLUMNS: Columns = {
  required: ['registration', ...COMPLIANCE_PARTS.flatMap(columnsOf)],
  optional: ['last_updated'],
};

const MEANINGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', '1'].map((text) => [text, true] as const),
  ...['false', 'no', 'n', '0', ''].map((text) => [text, false] as const),
]);

/** Undefined for a text that says neither. */
const readMeaning = (cell: unknown): boolean | undefined => MEANINGS.get(String(cell).trim().toLowerCase());

const readFlag = (check: FieldChecks, name: string, cell: unknown): boolean => {
  const meaning = readMeaning(cell);
  if (meaning === undefined) check.issue(name, 'must be true, false, yes, no, Y, N, 1, 0 or blank');
  return meaning ?? false;
};

const readCells = (check: FieldChecks, { column, flags, read }: PartForm, fields: Row['fields']): object => {
  if (Object.keys(flags).length === 0) return read(check, column, fields[column]);
  const names = Object.keys(flags).filter((name) => fields[name] !== undefined);
  const given = names.filter((name) => readFlag(check, name, fields[name]));
  const isDated = !isBlank(fields[column]);
  const count = given.length + Number(isDated);
  const issue = count === 0 ? 'one of them must be given' : 'only one of them may be given';
  if (count !== 1) check.issue([column, ...names].join(', '), issue);
  const [flag = ''] = given;
  return isDated ? read(check, column, fields[column]) : { [flags[flag] ?? '']: true };
};

/** Whether a row leaves its part blank, where its columns have no word for each state of a vehicle. */
const saysNothing =
  (part: CompliancePart) =>
  ({ fields, given }: Row): boolean => {
    const { column, flags, field } = FORMS[part];
    const names = Object.keys(flags);
    if (typeof given === 'string') return names.length > 0 && fields[field] === null;
    const isUndecided = names.some((name) => fields[name] === undefined);
    const isNo = (name: string) => fields[name] === undefined || readMeaning(fields[name]) === false;
    return isBlank(fields[column]) && isUndecided && names.every(isNo);
  };

/** The schema of a line with these parts, which has one last update for all of them. */
const lineSchema = (parts: readonly CompliancePart[]) => ({
  type: 'object' as const,
  required: ['registration', ...parts.map((part) => FORMS[part].field)],
  properties: {
    registration: { type: 'string' },
    ...Object.fromEntries(parts.map((part) => [FORMS[part].field, FORMS[part].schema])),
    lastUpdated: { type: 'string', format: 'date-time' },
  } as Readonly<Record<string, RecordSchema>>,
});

/** Reads a row with these parts. @param mark what is stored with each part beside what the row says */
const rowOf = (parts: readonly CompliancePart[], [first]: readonly Row[], mark: object): ReadRow => {
  const schema = lineSchema(parts);
  const isCsv = typeof first?.given !== 'string';
  return (check, fields, key) => {
    const lastUpdatedOf = (name: string, value: unknown) => (value === null ? null : check.lastUpdated(name, value));
    const rules = { registration: () => key, lastUpdated: lastUpdatedOf };
    const read = isCsv ? {} : (readFields(check, schema, fields, rules) as Fields);
    const bodyOf = (part: CompliancePart): object => {
      const form = FORMS[part];
      if (isCsv) return readCells(check, form, fields);
      return part === 'fines' ? { outstanding: read[form.field] } : Object(read[form.field]);
    };
    const bodies = parts.map((part) => [part, { ...bodyOf(part), ...mark }] as const);
    // `null` means that the time is unknown. No time is stored then.
    const lastUpdated = isCsv
      ? check.lastUpdated('last_updated', cellValue(fields.last_updated))
      : (read.lastUpdated as GivenPart['lastUpdated']);
    const given = new Map(bodies.map(([part, body]) => [part, { body, lastUpdated }]));
    return { kind: 'put', registration: key, parts: given };
  };
};

/** A line of an export: the parts as they are stored, of which a missing last update is unknown. */
const readExportedLine: ReadRow = (check, fields, key) => {
  const lastUpdated = (name: string, value: unknown) =>
    value === undefined ? undefined : check.lastUpdated(name, value);
  const read = readFields(check, ComplianceRecord, fields, { registration: () => key, lastUpdated });
  const stored = readComplianceParts(read) ?? new Map();
  if (check.reasons.length === 0 && stored.size === 0) {
    check.issue(Object.values(PART_ATTRIBUTES).join(', '), 'one of them must be given');
  }
  const parts = Array.from(
    stored,
    ([name, part]) => [name, { ...part, lastUpdated: part.lastUpdated ?? null }] as const,
  );
  return { kind: 'put', registration: key, parts: new Map(parts) };
};

export const complianceRules = (restore = false): RecordRules => ({
  kind: 'records',
  target: restore ? WHOLE_COMPLIANCE : COMPLIANCE_FILE,
  read: (rows, key, options) => {
    const row = rowOf(COMPLIANCE_PARTS, rows, { fromCompliance: true });
    return readWholeRecords(rows, key, options, restore ? readExportedLine : row);
  },
});

export const partRules = (part: CompliancePart): RecordRules => ({
  kind: 'records',
  target: partTarget(part),
  saysNothing: saysNothing(part),
  read: (rows, key, options) => readWholeRecords(rows, key, options, rowOf([part], rows, {})),
});
